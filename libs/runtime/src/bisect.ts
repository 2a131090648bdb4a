/** An item that could not be stored, and the error that it alone causes. */
export interface RefusedItem<T> {
  item: T;
  error: unknown;
}

/**
 * Stores items together, so that one that is refused does not refuse the others: a batch that fails because of an item
 * is stored in halves, in order, until that item is alone. It costs nothing while nothing fails.
 *
 * @param store stores all of its items or none
 * @param isItemFault false for an outage, which halves cannot avoid and must not multiply
 * @returns the refused items
 * @throws the first error that is no item's fault; items before it may be stored
 */
export async function bisect<T>(
  items: T[],
  store: (items: T[]) => Promise<unknown>,
  isItemFault: (error: unknown) => boolean,
): Promise<RefusedItem<T>[]> {
  try {
    await store(items);
    return [];
  } catch (error) {
    if (!isItemFault(error)) throw error;
    if (items.length <= 1) return items.map((item) => ({ item, error }));
    const half = Math.ceil(items.length / 2);
    const first = await bisect(items.slice(0, half), store, isItemFault);
    return [...first, ...(await bisect(items.slice(half), store, isItemFault))];
  }
}
