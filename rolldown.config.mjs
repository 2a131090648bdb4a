import { defineConfig } from 'rolldown';

/** Optional packages of packages. None is installed. */
const ABSENT = [
  /^@nestjs\/(microservices|platform-express|websockets)(\/|$)/,
  /^@fastify\/(multipart|view)$/,
  /^class-transformer\/storage$/,
];

/**
 * Lets @nestjs/typeorm use the TypeORM of the bundle: it would load the installed one beside it, in a fifth of the time
 * of a start.
 */
const ONE_TYPEORM = {
  name: 'one-typeorm',
  transform: {
    filter: { id: /\/@nestjs\/typeorm\/dist\/common\/typeorm-compat\.js$/ },
    handler: (code) => ({
      code: code
        .replace("{ createRequire } from 'node:module'", "* as typeorm from 'typeorm'")
        .replace('createRequire(import.meta.url)', '() => typeorm'),
      map: null, // each line stays where it is
    }),
  },
};

/**
 * Bundles an app with its libs, which are compiled before, and packages: a start that loads thousands of modules instead
 * takes about twice the CPU. Types are not checked, which `npm run lint` does. Run it in the folder of the app. Packages that serve files, such as Swagger UI, are found from the bundle, so the app
 * must declare them.
 */
export default defineConfig({
  input: 'src/main.ts',
  platform: 'node',
  transform: { target: 'es2024', decorator: { legacy: true, emitDecoratorMetadata: true } },
  external: ABSENT,
  checks: { eval: false },
  plugins: [ONE_TYPEORM],
  output: {
    dir: 'dist/bundle',
    entryFileNames: 'main.js',
    chunkFileNames: '[name].js',
    sourcemap: true,
    // Node keeps a file with one other character in memory in two bytes per character
    charset: 'ascii',
    comments: false,
    cleanDir: true,
  },
});
