import { defineConfig } from 'rolldown';

/** Optional packages of packages. None is installed. */
const ABSENT = [
  /^@nestjs\/(microservices|platform-express|websockets)(\/|$)/,
  /^@fastify\/(multipart|view)$/,
  /^class-transformer\/storage$/,
];

/**
 * Bundles an app with its libs and packages: a start that loads thousands of modules instead takes 1.6 to 1.8 times the
 * CPU. Run it in the folder of the app. Packages that serve files, such as Swagger UI, are found from the bundle, so the
 * app must declare them.
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
