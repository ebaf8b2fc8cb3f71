//! How clients get at a private server: user, certificates and connection string.

use std::fmt;
use std::path::{Path, PathBuf};

use docstone_model::MongoUri;
use docstone_model::secret::percent_encode;

use super::error::PrivateError;
use super::files::write_private;
use super::folder::ServerFolder;
use super::options::ServerOptions;
use super::tls::write_certificates;

/// The user that a server with authentication has.
pub(super) const USER: &str = "docstone";

/// How clients get at a private server, and members at each other.
#[derive(Clone)]
pub(super) struct Access {
    /// Password of [`USER`], if there is authentication.
    pub(super) password: Option<String>,
    /// The file that authenticates members to each other.
    pub(super) key_file: Option<PathBuf>,
    /// The authority's certificate, if there is TLS.
    pub(super) ca_file: Option<PathBuf>,
    /// Certificate and key of the members, if there is TLS.
    pub(super) server_file: Option<PathBuf>,
    /// Name of the replica set; `None` for a standalone.
    pub(super) replica_set: Option<String>,
}

impl Access {
    /// Makes password, key file and certificates, as far as the options ask for them.
    pub(super) fn create(
        options: &ServerOptions,
        folder: &ServerFolder,
    ) -> Result<Self, PrivateError> {
        let mut access = Self {
            password: None,
            key_file: None,
            ca_file: None,
            server_file: None,
            replica_set: (!options.standalone).then(|| format!("docstone-{}", folder.id())),
        };
        if options.auth {
            access.password = Some(random_digits(1));
            let key_file = folder.file("keyfile");
            // 256 digits; mongod takes 6 to 1,024 characters of base64.
            write_private(&key_file, &random_digits(8))?;
            access.key_file = Some(key_file);
        }
        if options.tls {
            let (ca_file, server_file) = (folder.file("ca.pem"), folder.file("server.pem"));
            write_certificates(&ca_file, &server_file)?;
            access.ca_file = Some(ca_file);
            access.server_file = Some(server_file);
        }
        Ok(access)
    }

    /// The arguments of mongod for authentication, TLS and replica set.
    pub(super) fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        if let Some(name) = &self.replica_set {
            arguments.extend(["--replSet".to_owned(), name.clone()]);
        }
        if let Some(key_file) = &self.key_file {
            arguments.extend(["--auth".to_owned(), "--keyFile".to_owned(), text(key_file)]);
        }
        if let (Some(ca_file), Some(server_file)) = (&self.ca_file, &self.server_file) {
            arguments.extend([
                "--tlsMode".to_owned(),
                "requireTLS".to_owned(),
                "--tlsCertificateKeyFile".to_owned(),
                text(server_file),
                "--tlsCAFile".to_owned(),
                text(ca_file),
                "--tlsAllowConnectionsWithoutCertificates".to_owned(),
            ]);
        }
        arguments
    }

    /// The connection string for these ports, with the password.
    pub(super) fn uri(&self, ports: impl Iterator<Item = u16>) -> MongoUri {
        match &self.password {
            Some(password) => self.uri_without_password(ports).with_password(password),
            None => self.uri_without_password(ports),
        }
    }

    /// The connection string for these ports, with the user but without the password.
    pub(super) fn uri_without_password(&self, ports: impl Iterator<Item = u16>) -> MongoUri {
        let hosts: Vec<String> = ports.map(|port| format!("127.0.0.1:{port}")).collect();
        let user = match &self.password {
            Some(_) => format!("{USER}@"),
            None => String::new(),
        };
        let mut query = match &self.replica_set {
            Some(name) => format!("replicaSet={name}"),
            None => "directConnection=true".to_owned(),
        };
        if self.password.is_some() {
            // Otherwise a database put into the path would become the one that knows the user.
            query.push_str("&authSource=admin");
        }
        if let Some(ca_file) = &self.ca_file {
            let encoded: Vec<String> = text(ca_file).split('/').map(percent_encode).collect();
            query.push_str("&tls=true&tlsCAFile=");
            query.push_str(&encoded.join("/"));
        }
        MongoUri::new(format!("mongodb://{user}{}/?{query}", hosts.join(",")))
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.replica_set.as_deref().unwrap_or("standalone");
        write!(f, "Access({name})")
    }
}

/// 32 random hexadecimal digits (122 random bits), as many times.
fn random_digits(times: usize) -> String {
    (0..times)
        .map(|_| uuid::Uuid::new_v4().simple().to_string())
        .collect()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access() -> Access {
        Access {
            password: None,
            key_file: None,
            ca_file: None,
            server_file: None,
            replica_set: Some("rs".to_owned()),
        }
    }

    #[test]
    fn the_connection_string_names_all_members_and_the_replica_set() {
        let uri = access().uri([1, 2].into_iter());
        assert_eq!(
            uri.expose(),
            "mongodb://127.0.0.1:1,127.0.0.1:2/?replicaSet=rs"
        );
    }

    #[test]
    fn user_password_and_authority_are_in_the_connection_string() {
        let access = Access {
            password: Some("geheim".to_owned()),
            ca_file: Some(PathBuf::from("/a b/ca.pem")),
            replica_set: None,
            ..access()
        };
        let rest = "127.0.0.1:7/?directConnection=true&authSource=admin&tls=true&\
                    tlsCAFile=/a%20b/ca.pem";
        let ports = || [7].into_iter();
        assert_eq!(
            access.uri(ports()).expose(),
            format!("mongodb://docstone:geheim@{rest}")
        );
        assert_eq!(
            access.uri_without_password(ports()).expose(),
            format!("mongodb://docstone@{rest}")
        );
        assert!(!format!("{access:?}").contains("geheim"));
    }
}
