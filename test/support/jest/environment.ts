import vm from 'node:vm';
import { TestEnvironment as NodeEnvironment } from 'jest-environment-node';
import { sharesModules } from './sharing.ts';

/** Symbols under which Jest's runner keeps the state of a file. */
const OF_THE_RUNNER = /JEST_STATE_SYMBOL|EVENT_HANDLERS|RETRY_TIMES/;

type Given = ConstructorParameters<typeof NodeEnvironment>;

/**
 * One environment for all files of a worker, in which they share modules. After each file it restores what Jest and
 * tests change: the environment variables, and the state of Jest's runner.
 */
export default class SharedEnvironment extends NodeEnvironment {
  private static shared: SharedEnvironment | undefined;

  private readonly env!: NodeJS.ProcessEnv;
  private readonly exit!: typeof process.exit;

  constructor(config: Given[0], context: Given[1]) {
    if (SharedEnvironment.shared) return SharedEnvironment.shared;
    const { createContext } = vm;
    // an ordinary global object: that of a contextified one passes each access of a global to interceptors
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(config, context);
    } finally {
      vm.createContext = createContext;
    }
    if (!sharesModules(config.globalConfig)) return;
    this.env = { ...this.global.process.env };
    this.exit = this.global.process.exit;
    SharedEnvironment.shared = this;
  }

  /** Jest calls it after each file. */
  override async teardown(): Promise<void> {
    if (SharedEnvironment.shared !== this) return super.teardown();
    this.fakeTimersModern?.useRealTimers();
    this.global.process.env = { ...this.env };
    this.global.process.exit = this.exit;
    for (const symbol of Object.getOwnPropertySymbols(this.global))
      if (OF_THE_RUNNER.test(String(symbol))) Reflect.deleteProperty(this.global, symbol);
  }
}
