import { type ReactNode, useMemo } from 'react';
import { encode } from 'uqr';

const BORDER = 2;

/** A QR code, made in the browser: its text reaches nobody else. */
export function QrCode({ text, label }: { text: string; label: string }): ReactNode {
  const { path, size } = useMemo(() => draw(text), [text]);
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} width={180} height={180}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

function draw(text: string): { path: string; size: number } {
  const { data, size } = encode(text, { border: BORDER });
  const path = data
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('');
  return { path, size };
}
