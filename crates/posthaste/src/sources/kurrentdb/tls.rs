//! Whom to trust, who we are, and what is wrong when the two sides do not come together.

use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

use super::connection_string::ConnectionString;

/// Reads the files that the connection string names, and makes sure that they can be used.
pub(super) fn config(string: &ConnectionString) -> Result<ClientTlsConfig, String> {
    let read = |path: &str| std::fs::read(path).map_err(|error| format!("names the file {path}: {error}"));
    let mut tls = ClientTlsConfig::new();
    tls = match &string.ca_file {
        Some(path) => tls.ca_certificate(Certificate::from_pem(authority(path, read(path)?)?)),
        None => tls.with_native_roots(),
    };
    if let Some((certificate, key)) = &string.user_certificate {
        tls = tls.identity(Identity::from_pem(read(certificate)?, read(key)?));
    }
    let tried = Endpoint::from_static("https://localhost").tls_config(tls.clone());
    tried.map_err(|error| {
        let why = crate::error::full_text(&error);
        format!("names certificates that cannot be used ({why}): see tlsCaFile, userCertFile and userKeyFile")
    })?;
    Ok(tls)
}

/// A file without a certificate would be taken, and nobody be trusted.
fn authority(path: &str, pem: Vec<u8>) -> Result<Vec<u8>, String> {
    let has_one = pem.windows(BEGIN.len()).any(|window| window == BEGIN);
    if has_one {
        Ok(pem)
    } else {
        Err(format!("names the file {path} as tlsCaFile, which holds no certificate in PEM"))
    }
}

const BEGIN: &[u8] = b"-----BEGIN CERTIFICATE-----";

/// What to do about an error of TLS, by the words of the library that met it.
pub(super) fn remedy(error: &str) -> Option<&'static str> {
    const REMEDIES: &[(&str, &str)] = &[
        (
            "UnknownIssuer",
            "no authority that we trust has signed the server's certificate: name the one that has with tlsCaFile in \
             `connection_string`",
        ),
        (
            "not valid for name",
            "the server's certificate is for another name: write the host in `connection_string` as the certificate has it",
        ),
        ("certificate expired", "the server's certificate has expired: renew it there"),
        (
            "CertificateRequired",
            "the server wants a certificate of ours: name it with userCertFile and userKeyFile in `connection_string`",
        ),
        (
            "fatal alert",
            "the server does not take our certificate: see userCertFile and userKeyFile in `connection_string`",
        ),
        (
            "InvalidContentType",
            "the server does not speak TLS there: write tls=false in `connection_string`, or switch TLS on in the server",
        ),
    ];
    REMEDIES.iter().find(|(words, _)| error.contains(words)).map(|(_, remedy)| *remedy)
}
