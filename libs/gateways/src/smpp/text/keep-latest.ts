/**
 * Wraps a pure function so that it is not called again for the arguments of its latest call. Arguments are compared by
 * identity. An error is not kept.
 */
export function keepLatest<const Args extends readonly unknown[], Value>(
  compute: (...args: Args) => Value,
): (...args: Args) => Value {
  let latest: { args: Args; value: Value } | undefined;
  return (...args) => {
    if (!latest || args.some((arg, i) => arg !== latest!.args[i])) latest = { args, value: compute(...args) };
    return latest.value;
  };
}
