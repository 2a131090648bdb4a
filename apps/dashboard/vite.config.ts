import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Address of the api behind the development server. */
const API = process.env['SIGNALBOX_URL'] ?? 'http://127.0.0.1:3000';

export default defineConfig({
  base: '/app/',
  plugins: [react()],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  // The first versions with light-dark(), whose replacement for older ones ignores the scheme that Mantine sets.
  build: {
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    manifest: true,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/v1': API, '/docs': API } },
});
