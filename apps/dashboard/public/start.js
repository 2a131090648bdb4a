// Runs before the first paint, while the script of the dashboard is still on its way.
(() => {
  setColorScheme();
  askForSession();

  /** Sets the stored colour scheme. */
  function setColorScheme() {
    let stored = null;
    try {
      stored = localStorage.getItem('mantine-color-scheme-value');
    } catch {
      // Without storage the scheme of the system holds.
    }
    const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    document.documentElement.dataset.mantineColorScheme =
      stored === 'light' || stored === 'dark' ? stored : system;
  }

  /** Asks who is signed in, except where a sign-in comes first. src/api/connect.ts takes the answer. */
  function askForSession() {
    if (location.hash.startsWith('#token=') || location.pathname.endsWith('/sign-in')) return;
    window.signalboxSession = fetch('/v1/me', { credentials: 'same-origin' });
    window.signalboxSession.catch(() => undefined);
  }
})();
