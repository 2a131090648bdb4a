import { defineConfig } from 'rolldown';

/** Optional packages of packages. None is installed. */
const ABSENT = [
  /^@nestjs\/(microservices|platform-express|websockets)(\/|$)/,
  /^@fastify\/(multipart|view)$/,
  /^class-transformer\/storage$/,
];

/**
 * Bundles an app with its libs and packages: to load them as two thousand modules takes twice the CPU. Run it in the
 * folder of the app. Packages that serve files, as Swagger UI, are found next to the bundle, so the app declares them.
 */
export default defineConfig({
  input: 'dist/main.js',
  platform: 'node',
  external: ABSENT,
  checks: { eval: false },
  output: {
    dir: 'dist/bundle',
    entryFileNames: 'main.js',
    chunkFileNames: '[name].js',
    sourcemap: true,
    cleanDir: true,
  },
});
