// Sets the stored colour scheme before the first paint.
(() => {
  let stored = null;
  try {
    stored = localStorage.getItem('mantine-color-scheme-value');
  } catch {
    // Without storage the scheme of the system holds.
  }
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  document.documentElement.dataset.mantineColorScheme =
    stored === 'light' || stored === 'dark' ? stored : system;
})();
