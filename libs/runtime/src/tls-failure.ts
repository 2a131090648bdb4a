const UNKNOWN_AUTHORITY =
  'Its certificate is by an authority that is not trusted here: name the file of that authority in NODE_EXTRA_CA_CERTS, or for Postgres as sslrootcert in DATABASE_URL.';
const NO_TLS =
  'The server does not use TLS at this port: name another port, turn TLS on there, or ask for none.';

/** Sentences on failed TLS connections: the reason, and what to do. By the code of the error. */
const ADVICE_BY_CODE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'Its certificate has expired: renew it.',
  CERT_NOT_YET_VALID: 'Its certificate is not valid yet: check the clocks of both machines.',
  CERT_REVOKED: 'Its certificate was revoked: renew it.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'Its certificate is for other names: use one of them as the host, or issue a certificate that has this one.',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
};

/** The same by the message of the error, for errors of pg, which have no code. */
const ADVICE_BY_MESSAGE: Readonly<Record<string, string>> = {
  'The server does not support SSL connections': NO_TLS,
};

/** Says why a TLS connection failed and what to do; undefined for an error of another kind. */
export function findTlsAdvice({ code, message }: { code?: unknown; message?: unknown }): string | undefined {
  return ADVICE_BY_CODE[String(code)] ?? ADVICE_BY_MESSAGE[String(message)];
}
