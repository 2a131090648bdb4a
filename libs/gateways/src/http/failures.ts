/**
 * Describes why a vendor cannot be reached, with what to do.
 *
 * @param error the `PushError` of a call of which nothing was written
 */
export function describeUnreachable(origin: string, error: string): string {
  switch (error) {
    case 'tls_failed':
      return `The TLS handshake with ${origin} fails: its certificate is not trusted, has expired or names another host, or the port speaks no TLS. Check baseUrl: https or http, host and port.`;
    case 'timeout':
      return `The address ${origin} does not answer. Check host and port of baseUrl, and that the vendor and your firewall admit your address.`;
    default:
      return `The address ${origin} cannot be reached: its name is unknown, or nothing listens there. Check host and port of baseUrl.`;
  }
}

/**
 * Describes why requests stay without an answer, with what to do.
 *
 * @param error the `PushError` of a call that was written
 * @param mayWaitLonger a higher timeoutMs would help
 */
export function describeSilence(origin: string, error: string, mayWaitLonger: boolean): string {
  switch (error) {
    case 'bad_answer':
      return `The address ${origin} answers something that is not HTTP. Check the port of baseUrl.`;
    case 'connection_lost':
      return `The address ${origin} takes requests and closes the connection without an answer. Check baseUrl: https or http, host and port.`;
    default:
      return `The address ${origin} takes requests and does not answer (${error}). Ask the vendor${mayWaitLonger ? ', or raise timeoutMs' : ''}.`;
  }
}

/** Describes a vendor that answers 5xx, with what to do. */
export function describeServerError(origin: string, status: number): string {
  return `The address ${origin} answers with HTTP ${status} and does not say whether it took the message. Ask the vendor.`;
}
