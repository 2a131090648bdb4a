import { useMediaQuery, useReducedMotion } from '@mantine/hooks';
import type { ReactElement, ReactNode } from 'react';
import {
  Area,
  Bar,
  CartesianGrid,
  ComposedChart,
  Line,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import type { ChartProps, Series } from './chart-props.ts';

const HOUR_MS = 3_600_000;
const NUMBER = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const MAX_TICKS = { wide: 5, narrow: 3 };
const NARROW = '(max-width: 36em)';
const TOOLTIP = {
  background: 'var(--sb-surface)',
  border: '1px solid var(--sb-line)',
  borderRadius: 8,
  fontSize: 12.5,
};

/** Bars stand in bands of equal width. */
const BANDS = { type: 'category' } as const;
const CONTINUOUS = { type: 'number', domain: ['dataMin', 'dataMax'] } as const;

/** The drawing of a chart, by recharts. */
export function ChartDrawing({
  rows,
  series,
  kind = 'area',
  stacked = false,
  height = 220,
  format,
}: ChartProps): ReactNode {
  const isStill = useReducedMotion();
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  const data = rows.map(({ at, values }) => ({ at: Date.parse(at), ...values }));
  const spanMs = (data.at(-1)?.at ?? 0) - (data[0]?.at ?? 0);
  const clock = spanMs > 36 * HOUR_MS ? DAY : CLOCK;
  const show = format ?? ((value: number) => NUMBER.format(value));
  return (
    <ResponsiveContainer width="100%" height={height}>
      <ComposedChart data={data} margin={{ top: 8, right: 20, bottom: 0, left: 0 }}>
        <CartesianGrid vertical={false} stroke="var(--sb-line)" />
        <XAxis
          dataKey="at"
          {...(kind === 'bar' ? BANDS : CONTINUOUS)}
          tickFormatter={(at: number) => clock.format(at)}
          tick={{ fill: 'var(--sb-quiet)', fontSize: 11.5 }}
          axisLine={false}
          tickLine={false}
          ticks={ticksOf(data, isNarrow ? MAX_TICKS.narrow : MAX_TICKS.wide)}
          interval={0}
        />
        <YAxis
          width={44}
          tickFormatter={show}
          tick={{ fill: 'var(--sb-quiet)', fontSize: 11.5 }}
          axisLine={false}
          tickLine={false}
          allowDecimals={false}
          interval={0}
        />
        <Tooltip
          contentStyle={TOOLTIP}
          isAnimationActive={false}
          labelFormatter={(at) => FULL.format(Number(at))}
          formatter={(value, name) => [show(Number(value)), name]}
        />
        {series.map((each) => mark(each, kind, stacked, !isStill))}
      </ComposedChart>
    </ResponsiveContainer>
  );
}

/** Times with a label: rows at equal distances. The library would measure each text to choose them. */
function ticksOf(data: readonly { at: number }[], maximum: number): number[] {
  const step = Math.max(1, Math.ceil(data.length / maximum));
  return data.filter((_, place) => place % step === 0).map(({ at }) => at);
}

function mark(
  { key, label, color }: Series,
  kind: string,
  stacked: boolean,
  isAnimated: boolean,
): ReactElement {
  const shared = { dataKey: key, name: label, isAnimationActive: isAnimated, animationDuration: 250 };
  const stack = stacked ? { stackId: 'all' } : {};
  if (kind === 'line')
    return <Line key={key} {...shared} stroke={color} strokeWidth={2} dot={false} type="monotone" />;
  if (kind === 'bar') return <Bar key={key} {...shared} {...stack} fill={color} />;
  return (
    <Area
      key={key}
      {...shared}
      {...stack}
      stroke={color}
      fill={color}
      fillOpacity={0.18}
      strokeWidth={1.8}
      type="monotone"
    />
  );
}
