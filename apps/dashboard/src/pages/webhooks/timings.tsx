import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './webhooks.module.css';

interface TimingsProps {
  timings: {
    dnsMs: number | null;
    connectMs: number | null;
    tlsMs: number | null;
    firstByteMs: number | null;
  };
  durationMs: number;
}

const PHASES = [
  ['dnsMs', 'DNS', 'var(--mantine-color-blue-6)'],
  ['connectMs', 'Connect', 'var(--mantine-color-violet-6)'],
  ['tlsMs', 'TLS', 'var(--mantine-color-orange-6)'],
  ['firstByteMs', 'First byte', 'var(--mantine-color-teal-6)'],
] as const;

/** The phases of a call as a bar and in milliseconds. */
export function Timings({ timings, durationMs }: TimingsProps): ReactNode {
  const phases = PHASES.flatMap(([key, label, color]) => {
    const ms = timings[key];
    return ms === null ? [] : [{ key, label, color, ms }];
  });
  return (
    <div>
      <div className={classes['phases']} aria-hidden>
        {phases.map(({ key, color, ms }) => (
          <div key={key} style={{ background: color, width: `${(ms / Math.max(durationMs, 1)) * 100}%` }} />
        ))}
      </div>
      <Group gap="md" mt={6}>
        {phases.map(({ key, label, color, ms }) => (
          <Text key={key} size="xs">
            <span aria-hidden style={{ color }}>
              ●
            </span>{' '}
            {label} {milliseconds(ms)}
          </Text>
        ))}
        <Text size="xs" fw={600}>
          Total {milliseconds(durationMs)}
        </Text>
      </Group>
    </div>
  );
}

/** `0.4 ms`, `84 ms`, `1.2 s`. */
export function milliseconds(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;
}
