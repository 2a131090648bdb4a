/** The part of Jest's global configuration that is read here. */
interface Run {
  watch: boolean;
  watchAll: boolean;
  collectCoverage: boolean;
}

/** True when the files of a worker may share modules: none changes during the run, and nobody counts their lines. */
export function sharesModules({ watch, watchAll, collectCoverage }: Run): boolean {
  return !watch && !watchAll && !collectCoverage;
}
