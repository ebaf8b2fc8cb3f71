//! Connection strings, checked without connecting.
//!
//! Finds what the driver would refuse later, and what it would drop without a word. No message
//! repeats any part of a user name or a password. Resolving names and SRV records is not done.

mod values;

use docstone_model::MongoUri;

use crate::nearest::advice;

/// One mistake in a connection string: message and cure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UriFault {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

/// Options that the driver takes, in lower case, and behind them those that are refused.
const OPTIONS: [&str; 43] = [
    "appname",
    "authmechanism",
    "authmechanismproperties",
    "authsource",
    "compressors",
    "connecttimeoutms",
    "directconnection",
    "enableoverloadretargeting",
    "heartbeatfrequencyms",
    "journal",
    "loadbalanced",
    "localthresholdms",
    "maxadaptiveretries",
    "maxconnecting",
    "maxidletimems",
    "maxpoolsize",
    "maxstalenessseconds",
    "minpoolsize",
    "readconcernlevel",
    "readpreference",
    "readpreferencetags",
    "replicaset",
    "retryreads",
    "retrywrites",
    "servermonitoringmode",
    "serverselectiontimeoutms",
    "srvmaxhosts",
    "srvservicename",
    "ssl",
    "tls",
    "tlsallowinvalidcertificates",
    "tlscafile",
    "tlscertificatekeyfile",
    "tlsinsecure",
    "uuidrepresentation",
    "w",
    "waitqueuetimeoutms",
    "wtimeoutms",
    "zlibcompressionlevel",
    "zstdcompressionlevel",
    "sockettimeoutms",
    "tlsallowinvalidhostnames",
    "tlscertificatekeyfilepassword",
];

/// Options that the driver refuses as docstone builds it, with docstone's own way.
const REFUSED: [(&str, &str); 4] = [
    (
        "zstdcompressionlevel",
        "set docstone's own key instead: `target.compressor: zstd:LEVEL`",
    ),
    (
        "sockettimeoutms",
        "give the operation a limit instead: `operations.NAME.timeout: 30s`",
    ),
    (
        "tlsallowinvalidhostnames",
        "set docstone's own key instead: `target.tls_insecure: true`",
    ),
    (
        "tlscertificatekeyfilepassword",
        "give `tlsCertificateKeyFile` a file whose key has no password: `openssl pkey -in KEY.pem \
         -out PLAIN.pem` takes it off",
    ),
];

/// All mistakes of a connection string.
pub(crate) fn check(uri: &str) -> Vec<UriFault> {
    let (srv, rest) = if let Some(rest) = uri.strip_prefix("mongodb://") {
        (false, rest)
    } else if let Some(rest) = uri.strip_prefix("mongodb+srv://") {
        (true, rest)
    } else {
        return vec![fault(
            "a connection string begins with `mongodb://` or `mongodb+srv://`",
            "write it like `mongodb://localhost:27017/`",
        )];
    };
    let (user, rest) = match rest.rsplit_once('@') {
        Some((user, rest)) => (Some(user), rest),
        None => (None, rest),
    };
    if let Some(fault) = user.and_then(user_fault) {
        // What follows cannot be told from the password.
        return vec![fault];
    }
    let hosts_end = rest.find(['/', '?']).unwrap_or(rest.len());
    let mut faults = host_faults(&rest[..hosts_end], srv, user.is_some());
    let (path, query) = rest[hosts_end..]
        .split_once('?')
        .unwrap_or((&rest[hosts_end..], ""));
    let database = path.trim_start_matches('/');
    if !database.is_empty() {
        let decoded = decode(database);
        faults.extend(
            decoded
                .as_deref()
                .map_or(
                    Some("it is not percent-encoded right".to_owned()),
                    database_fault,
                )
                .map(|why| UriFault {
                    message: format!("the database in the connection string cannot be used: {why}"),
                    help: None,
                }),
        );
    }
    faults.extend(option_faults(query));
    faults
}

fn fault(message: &str, help: &str) -> UriFault {
    UriFault {
        message: message.to_owned(),
        help: Some(help.to_owned()),
    }
}

fn user_fault(user: &str) -> Option<UriFault> {
    let (name, password) = match user.split_once(':') {
        Some((name, password)) => (name, password),
        None => (user, ""),
    };
    let raw = |text: &str| text.contains(['@', ':', '/', '?', '#', '[', ']']);
    if raw(name) || raw(password) || decode(name).is_none() || decode(password).is_none() {
        return Some(fault(
            "the user name or the password in the connection string has characters that must be \
             percent-encoded",
            "percent-encode `@` as %40, `:` as %3A, `/` as %2F and `%` as %25; or leave the \
             password out and give it as it is by --password-file or DOCSTONE_PASSWORD",
        ));
    }
    name.is_empty().then(|| {
        fault(
            "the connection string has an empty user name",
            "write `USER:PASSWORD@` before the host, or nothing",
        )
    })
}

fn host_faults(hosts: &str, srv: bool, user: bool) -> Vec<UriFault> {
    let mut faults = Vec::new();
    let list: Vec<&str> = hosts.split(',').collect();
    if srv && (list.len() > 1 || list[0].contains(':')) {
        faults.push(fault(
            "`mongodb+srv://` takes one host name without a port",
            "DNS tells the servers and their ports",
        ));
        return faults;
    }
    for host in list {
        let bracketed = host.starts_with('[');
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !bracketed || name.ends_with(']') => (name, Some(port)),
            _ => (host, None),
        };
        let unclear = !bracketed && name.contains(':');
        let bad_name = name.is_empty() || name.contains(|c: char| c.is_whitespace());
        if bad_name {
            faults.push(fault(
                "the connection string has an empty host name, or one with a blank in it",
                "write it like `mongodb://localhost:27017/`",
            ));
        } else if unclear || port.is_some_and(|port| !matches!(port.parse::<u16>(), Ok(1..))) {
            let help = if user {
                "an IPv6 address stands in brackets: `[::1]:27017`"
            } else {
                "after user and password comes `@HOST`"
            };
            faults.push(fault(
                "the port in the connection string is not a number from 1 to 65535",
                help,
            ));
        }
    }
    faults
}

fn option_faults(query: &str) -> Vec<UriFault> {
    let mut faults = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let Some((name, value)) = pair.split_once('=') else {
            faults.push(fault(
                "an option in the connection string has no `=`",
                "write options as `name=value`, joined by `&`",
            ));
            continue;
        };
        let key = name.to_ascii_lowercase();
        if let Some((_, help)) = REFUSED.iter().find(|(refused, _)| *refused == key) {
            let message = format!("the connection string's option `{name}` is not supported");
            faults.push(fault(&message, help));
        } else if !OPTIONS.contains(&key.as_str()) {
            faults.push(UriFault {
                message: format!("the connection string has an unknown option `{name}`"),
                help: Some(advice(&key, &OPTIONS[..OPTIONS.len() - REFUSED.len()])),
            });
        } else if value.is_empty() && key != "readpreferencetags" {
            faults.push(fault(
                &format!("the connection string's option `{name}` has no value"),
                "give it one, or leave it out",
            ));
        } else if key != "readpreferencetags" && seen.contains(&key) {
            faults.push(fault(
                &format!("the connection string has the option `{name}` twice"),
                "remove one of the two",
            ));
        } else if let Some((why, help)) = values::fault(&key, value) {
            faults.push(fault(
                &format!("the value of `{name}` in the connection string {why}"),
                &help,
            ));
        }
        seen.push(key);
    }
    faults
}

/// The database named in a connection string, decoded.
pub(crate) fn database(uri: &MongoUri) -> Option<String> {
    uri.database().and_then(decode)
}

/// Why a name cannot be a database's, if so.
pub(crate) fn database_fault(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("it is empty".to_owned());
    }
    if name.len() > 63 {
        return Some("it has more than 63 bytes".to_owned());
    }
    let refused = |c: &char| "/\\. \"$*<>:|?".contains(*c) || *c == '\0';
    name.chars().find(refused).map(|c| {
        format!(
            "a database's name must not contain `{}`",
            c.escape_default()
        )
    })
}

/// Decodes `%XX`; `None` if a `%` is followed by anything else, or the result is no text.
pub(crate) fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let high = char::from(rest.next()?).to_digit(16)?;
        let low = char::from(rest.next()?).to_digit(16)?;
        bytes.push(u8::try_from(high * 16 + low).expect("two hexadecimal digits fit a byte"));
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
