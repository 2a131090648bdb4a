import type { ReactNode } from 'react';
import classes from './webhooks.module.css';

interface SparklineProps {
  hours: readonly { at: string; calls: number; failures: number }[];
  /** Describes what the bars show. */
  label: string;
}

const WIDTH = 4;
const HEIGHT = 24;

/** Calls by hour as small bars: accepted below, failed on top. */
export function Sparkline({ hours, label }: SparklineProps): ReactNode {
  const most = Math.max(1, ...hours.map(({ calls }) => calls));
  const height = (calls: number) => (calls === 0 ? 0 : Math.max(1, (calls / most) * (HEIGHT - 1)));
  return (
    <svg
      className={classes['spark']}
      role="img"
      aria-label={label}
      width={hours.length * WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${hours.length * WIDTH} ${HEIGHT}`}
    >
      <line x1={0} x2={hours.length * WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} stroke="var(--sb-line)" />
      {hours.map(({ at, calls, failures }, i) => {
        const all = height(calls);
        const failed = calls === 0 ? 0 : Math.max(failures > 0 ? 1.5 : 0, (failures / calls) * all);
        return (
          <g key={at} transform={`translate(${i * WIDTH} 0)`}>
            <rect width={WIDTH - 1} y={HEIGHT - all} height={all} fill="var(--mantine-color-teal-6)" />
            <rect width={WIDTH - 1} y={HEIGHT - all} height={failed} fill="var(--mantine-color-red-6)" />
          </g>
        );
      })}
    </svg>
  );
}
