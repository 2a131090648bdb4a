/**
 * Collects items and runs a check on each at the end of the current turn of the event loop. Nearly all requests are read
 * and answered within a turn, so that they need no timer.
 */
export function atEndOfTurn<T>(check: (item: T) => void): (item: T) => void {
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
