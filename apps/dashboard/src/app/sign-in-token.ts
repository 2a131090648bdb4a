/** A token is taken from the address once, and is then in no address, history or log. */
let token: string | undefined;

/** Takes the token of a sign-in link out of the address of the page. */
export function takeToken(): void {
  const found = /^#token=([\w-]{20,100})$/.exec(window.location.hash)?.[1];
  if (found === undefined) return;
  token = found;
  window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search);
}

/** Returns the token of the sign-in link that opened the page, until it is dropped. */
export function pendingToken(): string | undefined {
  return token;
}

/** Forgets the token. */
export function dropToken(): void {
  token = undefined;
}
