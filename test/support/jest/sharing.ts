/** The part of Jest's global configuration that is read here. */
interface Run {
  watch: boolean;
  watchAll: boolean;
  collectCoverage: boolean;
}

/**
 * True when the files of a worker may share modules: no source changes during the run, and no coverage is collected.
 */
export function sharesModules({ watch, watchAll, collectCoverage }: Run): boolean {
  return !watch && !watchAll && !collectCoverage;
}
