/** Collects items and runs a check on each at the end of the current pass of the event loop. */
export function atEndOfPass<T>(check: (item: T) => void): (item: T) => void {
  let items: T[] = [];
  const checkAll = (): void => {
    const due = items;
    items = [];
    for (const item of due) check(item);
  };
  return (item) => {
    if (items.push(item) === 1) setImmediate(checkAll);
  };
}
