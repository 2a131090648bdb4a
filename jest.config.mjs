/** One configuration for all packages: sources run as they are (no build), as ES modules, against real servers. */
export default {
  testEnvironment: '<rootDir>/test/support/jest/environment.ts',
  runtime: '<rootDir>/test/support/jest/runtime.ts',
  testSequencer: '<rootDir>/test/support/jest/sequencer.ts',
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: ['<rootDir>/{libs,apps,test,tools}/**/*.spec.ts'],
  modulePathIgnorePatterns: ['<rootDir>/(apps|libs)/[^/]+/dist/', '<rootDir>/\\.signalbox/'],
  // Test support is used by every package and itself uses some of them: as a dependency it would be a circle.
  moduleNameMapper: {
    '^@signalbox/test/(.+)$': '<rootDir>/test/support/$1.ts',
    '^@signalbox/tools/(.+)$': '<rootDir>/tools/$1.ts',
  },
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // More than two cores: some files wait for leases while others compute. With more files at a time, the processes that
  // they start get so little of a slow machine that deadlines pass.
  maxWorkers: 4,
  // Modules, and what finished files left in them, stay in memory until their worker ends.
  workerIdleMemoryLimit: '1500MB',
  // A worker takes a second or more to end on a slow machine; Jest would report it as one that hangs.
  workerGracefulExitTimeout: 10_000,
  testTimeout: 300_000,
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2024',
          keepClassNames: true,
        },
        sourceMaps: 'inline',
      },
    ],
  },
  transformIgnorePatterns: ['/node_modules/'],
};
