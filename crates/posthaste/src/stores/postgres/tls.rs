//! TLS. `sslmode=require` encrypts *and* checks who answers; `prefer`, which anyone in between can switch off anyway, only
//! encrypts.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{Options, connection};
use crate::error::{Error, Kind, Result};

pub(super) fn connector(options: &Options) -> Result<MakeRustlsConnect> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::new(Kind::Invalid, "TLS cannot be set up").caused_by(error))?;
    let must_verify = connection::config(options)?.get_ssl_mode() == SslMode::Require;
    let config = if must_verify || options.root_certificates.is_some() {
        builder.with_root_certificates(roots(options)?).with_no_client_auth()
    } else {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(Anyone(provider))).with_no_client_auth()
    };
    Ok(MakeRustlsConnect::new(config))
}

fn roots(options: &Options) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    let certificates: Vec<CertificateDer<'static>> = match &options.root_certificates {
        None => rustls_native_certs::load_native_certs().certs,
        Some(path) => {
            let unreadable = |error| {
                let text = format!("the certificates in {} cannot be read", path.display());
                Error::new(Kind::Invalid, text).caused_by(error)
            };
            let found = CertificateDer::pem_file_iter(path).map_err(unreadable)?;
            found.collect::<Result<_, _>>().map_err(unreadable)?
        }
    };
    roots.add_parsable_certificates(certificates);
    Ok(roots)
}

/// Believes any certificate, but not a forged handshake.
#[derive(Debug)]
struct Anyone(Arc<CryptoProvider>);

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
