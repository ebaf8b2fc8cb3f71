//! The file of trusted authorities, looked at before it is used: the driver takes one without a
//! certificate for an empty list, and then trusts nobody.

use std::path::Path;

use docstone_engine::target::TargetError;
use mongodb::options::Tls;

use crate::error::plan_error;

/// How a certificate begins in a PEM file.
const BEGIN: &[u8] = b"-----BEGIN CERTIFICATE-----";

/// Refuses a `tlsCAFile` that cannot be read or holds no certificate.
pub(crate) fn check(tls: Option<&Tls>) -> Result<(), TargetError> {
    let Some(Tls::Enabled(tls)) = tls else {
        return Ok(());
    };
    match &tls.ca_file_path {
        Some(path) if tls.allow_invalid_certificates != Some(true) => check_file(path),
        _ => Ok(()),
    }
}

fn check_file(path: &Path) -> Result<(), TargetError> {
    let shown = path.display();
    let content = std::fs::read(path).map_err(|problem| {
        plan_error(
            format!("tlsCAFile {shown} cannot be read: {problem}"),
            Some("check the path and who may read the file"),
        )
    })?;
    if content.windows(BEGIN.len()).any(|part| part == BEGIN) {
        return Ok(());
    }
    Err(plan_error(
        format!("tlsCAFile {shown} holds no certificate in PEM form"),
        Some(
            "name the PEM file of the authority (it has a line -----BEGIN CERTIFICATE-----); a \
             DER file becomes one by `openssl x509 -inform der -in FILE -out ca.pem`",
        ),
    ))
}
