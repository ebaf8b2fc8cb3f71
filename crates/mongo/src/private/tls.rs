//! An authority of a private server's own, and the certificate that it gives to the members.

use std::path::Path;

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose,
};

use super::error::PrivateError;
use super::files::write_private;

/// Makes `ca.pem` (the authority's certificate) and `server.pem` (certificate and key of the
/// members, for `localhost` and `127.0.0.1`). The authority's key is thrown away.
pub(super) fn write_certificates(ca_file: &Path, server_file: &Path) -> Result<(), PrivateError> {
    let mut authority = CertificateParams::default();
    authority.distinguished_name = name("docstone private authority");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let authority_key = KeyPair::generate()?;
    let authority_certificate = authority.self_signed(&authority_key)?;
    let issuer = Issuer::new(authority, authority_key);

    let mut server = CertificateParams::new(vec!["localhost".to_owned(), "127.0.0.1".to_owned()])?;
    server.distinguished_name = name("localhost");
    server.use_authority_key_identifier_extension = true;
    server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    // Members present the same certificate to each other, as servers and as clients.
    server.extended_key_usages = vec![
        ExtendedKeyUsagePurpose::ServerAuth,
        ExtendedKeyUsagePurpose::ClientAuth,
    ];
    let server_key = KeyPair::generate()?;
    let server_certificate = server.signed_by(&server_key, &issuer)?;

    write_private(ca_file, &authority_certificate.pem())?;
    let both = server_certificate.pem() + &server_key.serialize_pem();
    write_private(server_file, &both)
}

fn name(common_name: &str) -> DistinguishedName {
    let mut name = DistinguishedName::new();
    name.push(DnType::OrganizationName, "docstone");
    name.push(DnType::CommonName, common_name);
    name
}
