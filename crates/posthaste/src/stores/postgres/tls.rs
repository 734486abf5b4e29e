//! TLS. `sslmode=require` encrypts *and* checks who answers, as `verify-full` does; `verify-ca` leaves the name out of it; `prefer`,
//! which anyone in between can switch off anyway, only encrypts.

use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

use self::verifiers::{AnyName, Anyone};
use super::address::{Address, Check};
use crate::error::{Error, Kind, Result};

mod verifiers;

pub(super) fn connector(address: &Address) -> Result<MakeRustlsConnect> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable("TLS", error))?;
    let must_verify = address.config.get_ssl_mode() == SslMode::Require || address.root_certificates.is_some();
    let builder = match address.check {
        Check::Authority => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyName(by_authority(roots(address)?, provider)?))),
        _ if must_verify => builder.with_root_certificates(roots(address)?),
        _ => builder.dangerous().with_custom_certificate_verifier(Arc::new(Anyone(provider))),
    };
    let config = match (&address.client_certificate, &address.client_key) {
        (Some(certificate), Some(key)) => {
            let shown = PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable("key", key, error))?;
            builder
                .with_client_auth_cert(certificates(certificate)?, shown)
                .map_err(|error| unusable("the client certificate", error))?
        }
        (None, None) => builder.with_no_client_auth(),
        _ => {
            return Err(Error::new(
                Kind::Invalid,
                "client_certificate and client_key are needed both, or none of them",
            ));
        }
    };
    Ok(MakeRustlsConnect::new(config))
}

fn by_authority(roots: RootCertStore, provider: Arc<CryptoProvider>) -> Result<Arc<WebPkiServerVerifier>> {
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
    verifier.build().map_err(|error| unusable("the certificates to trust", error))
}

fn roots(address: &Address) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(match &address.root_certificates {
        None => rustls_native_certs::load_native_certs().certs,
        Some(path) => certificates(path)?,
    });
    Ok(roots)
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let found = CertificateDer::pem_file_iter(path).map_err(|error| unreadable("certificates", path, error))?;
    found.collect::<Result<_, _>>().map_err(|error| unreadable("certificates", path, error))
}

fn unreadable(what: &str, path: &Path, error: pem::Error) -> Error {
    Error::new(Kind::Invalid, format!("the {what} in {} cannot be read", path.display())).caused_by(error)
}

fn unusable(what: &str, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::new(Kind::Invalid, format!("{what} cannot be used")).caused_by(error)
}
