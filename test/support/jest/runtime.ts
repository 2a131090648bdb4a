import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { sharesModules } from './sharing.ts';

const { default: Runtime } = createRequire(import.meta.url)('jest-runtime') as typeof import('jest-runtime');

type Given = ConstructorParameters<typeof Runtime>;
type Modules = Map<string, unknown>;

/** Members that the types of jest-runtime hide. Its version is pinned. */
interface Internals {
  _config: { rootDir: string };
  _testPath: string;
  esmLoader: { testPath: string };
  executor: { testPath: string };
  testState: { state: string };
  testMainModule: { reset(): void };
  mockState: { clear(): void };
  jestGlobals: { clearJestObjectCache(): void };
  registries: {
    moduleRegistry: Modules;
    esModuleRegistry: Modules;
    internalModuleRegistry: Modules;
    requireCacheProxy: object;
  };
}

/** Specs, and files of folders named test, by their paths from the root. */
const OF_TESTS = /^(?!.*\bnode_modules\/)(?:.*\/)?(?:test\/.*|[^/]*\.spec\.ts)$/;

/** Jest's own modules that keep the state of a file. */
const OF_THE_RUNNER = /\/node_modules\/jest-circus\//;

/**
 * One runtime for all files of a worker: it loads packages and the product's modules once, and test code again for
 * each file. Loading them took half the time of a file that starts the API. A file sees the state that earlier files
 * left in modules of the product; their metrics start at zero.
 */
export default class SharedRuntime extends Runtime {
  private static shared: SharedRuntime | undefined;

  constructor(...given: Given) {
    if (SharedRuntime.shared) {
      SharedRuntime.shared.begin(given[6]);
      return SharedRuntime.shared;
    }
    super(...given);
    // Fastify searches it for the name of each plugin, and Jest would compile it again for each
    this.internals().registries.requireCacheProxy = {};
    if (sharesModules(given[7])) SharedRuntime.shared = this;
  }

  /** Jest calls it after each file. */
  override teardown(): void {
    if (SharedRuntime.shared !== this) return super.teardown();
    this.restoreAllMocks();
    const { registries, testMainModule, mockState, jestGlobals } = this.internals();
    testMainModule.reset();
    mockState.clear();
    jestGlobals.clearJestObjectCache();
    dropRunner(registries.internalModuleRegistry);
    this.dropTests(registries.moduleRegistry);
    this.dropTests(registries.esModuleRegistry);
    resetMetrics(registries.moduleRegistry);
  }

  private begin(testPath: string): void {
    const parts = this.internals();
    parts._testPath = testPath;
    parts.esmLoader.testPath = testPath;
    parts.executor.testPath = testPath;
    parts.testState.state = 'loading';
  }

  private dropTests(modules: Modules): void {
    const { rootDir } = this.internals()._config;
    const isOfTests = (key: string): boolean =>
      key.startsWith('@jest/globals') || OF_TESTS.test(relative(rootDir, key.replace(/^file:\/\//, '')));
    for (const key of modules.keys()) if (isOfTests(key)) modules.delete(key);
  }

  private internals(): Internals {
    return this as unknown as Internals;
  }
}

/** Drops the modules that keep the state of a file; `expect` and the rest of Jest's own modules stay. */
function dropRunner(modules: Modules): void {
  for (const path of modules.keys()) if (OF_THE_RUNNER.test(path)) modules.delete(path);
}

function resetMetrics(modules: Modules): void {
  for (const [path, module] of modules)
    if (path.endsWith('/prom-client/index.js'))
      (module as { exports: { register: { resetMetrics(): void } } }).exports.register.resetMetrics();
}
