import { type RefObject, useLayoutEffect, useState } from 'react';

/** Width of an element in pixels, known before it is painted; infinite until then. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [widthPx, setWidthPx] = useState(Infinity);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return;
    const measure = () => setWidthPx(current.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return widthPx;
}
