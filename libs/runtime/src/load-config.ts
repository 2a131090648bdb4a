import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { findSpaceProblem } from './config-problem.ts';

/**
 * Reads a configuration from the environment: the declared settings alone. An empty value counts as absent.
 *
 * @throws Error that names all problems, one per line
 */
export function loadConfig<C extends object>(ConfigClass: new () => C, environment: NodeJS.ProcessEnv): C {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const config = plainToInstance(ConfigClass, given, { exposeDefaultValues: true });
  const errors = validateSync(config, { whitelist: true });
  const spaced = new Map(
    Object.keys(config).flatMap((name) => {
      const problem = findSpaceProblem(name, given[name]);
      return problem === undefined ? [] : [[name, problem] as const];
    }),
  );
  const others = errors.filter(({ property }) => !spaced.has(property));
  const problems = [
    ...spaced.values(),
    ...others.flatMap(({ constraints = {} }) => Object.values(constraints).slice(0, 1)),
  ];
  if (problems.length > 0)
    throw new Error(
      `the configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
  return config;
}

/** Reads the configuration of the process; writes problems to stderr and ends the process with exit code 1. */
export function loadConfigOrExit<C extends object>(ConfigClass: new () => C): C {
  try {
    return loadConfig(ConfigClass, process.env);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
}
