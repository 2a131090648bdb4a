import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { type Plugin, defineConfig } from 'vite';

/** Address of the api behind the development server. */
const API = process.env['SIGNALBOX_URL'] ?? 'http://127.0.0.1:3000';

export default defineConfig({
  base: '/app/',
  plugins: [react(), compressed()],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  build: {
    target: 'es2023',
    // The first versions with light-dark(), whose replacement for older ones ignores the scheme that Mantine sets.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    manifest: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // One script for all that every page needs: each further request costs the first load more than its bytes.
            { name: 'app', tags: ['$initial'] },
            { name: 'shared', minShareCount: 10 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/v1': API, '/docs': API } },
});

/** Writes each text file once more as .br and .gz, which the api sends to browsers that accept them. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    writeBundle({ dir = 'dist' }) {
      for (const name of globSync('assets/*.{js,css}', { cwd: dir })) {
        const bytes = readFileSync(join(dir, name));
        writeFileSync(join(dir, `${name}.br`), brotliCompressSync(bytes));
        writeFileSync(join(dir, `${name}.gz`), gzipSync(bytes));
      }
    },
  };
}
