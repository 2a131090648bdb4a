import { type RefObject, useEffect, useState } from 'react';

/** True while the content of an element is wider than the element, so that it scrolls sideways. */
export function useOverflow(element: RefObject<HTMLElement | null>): boolean {
  const [isWider, setWider] = useState(false);
  useEffect(() => {
    const { current } = element;
    if (!current) return;
    const observer = new ResizeObserver(() => setWider(current.scrollWidth > current.clientWidth + 1));
    observer.observe(current);
    if (current.firstElementChild) observer.observe(current.firstElementChild);
    return () => observer.disconnect();
  }, [element]);
  return isWider;
}
