import { area, curveMonotoneX, line } from 'd3-shape';
import type { ReactNode } from 'react';
import type { ChartProps } from './chart-props.ts';
import type { Layer, Scale, Span } from './chart-scale.ts';

/** Share of a band that its bars fill. */
const FILLED = 0.8;

interface MarksProps {
  layers: readonly Layer[];
  scale: Scale;
  kind: NonNullable<ChartProps['kind']>;
  stacked: boolean;
}

/** The areas, lines or bars of a chart. */
export function ChartMarks({ layers, scale, kind, stacked }: MarksProps): ReactNode {
  if (kind === 'bar')
    return layers.map((layer, place) => bars(layer, scale, stacked ? [0, 1] : [place, layers.length]));
  return layers.map((layer) => (
    <Curve key={layer.key} layer={layer} scale={scale} isFilled={kind === 'area'} />
  ));
}

interface Point {
  x: number;
  span: Span | null;
}

const isKnown = ({ span }: Point): boolean => span !== null;

function Curve({ layer, scale, isFilled }: { layer: Layer; scale: Scale; isFilled: boolean }): ReactNode {
  const { spans, color } = layer;
  const points = spans.map((span, row) => ({ x: scale.x(row), span }));
  const x = (point: Point): number => point.x;
  const top = ({ span }: Point): number => scale.y(span![1]); // called for known points only
  const ground = ({ span }: Point): number => scale.y(span![0]);
  const edge = line(x, top).defined(isKnown).curve(curveMonotoneX)(points);
  const surface = area(x, ground, top).defined(isKnown).curve(curveMonotoneX)(points);
  return (
    <>
      {isFilled && <path d={surface ?? ''} fill={color} fillOpacity={0.18} />}
      <path d={edge ?? ''} fill="none" stroke={color} strokeWidth={2} strokeLinecap="round" />
    </>
  );
}

/** @param place of the series in each band, and their number */
function bars({ key, spans, color }: Layer, scale: Scale, [place, count]: [number, number]): ReactNode {
  const width = (scale.band * FILLED) / count;
  const left = (row: number): number => scale.x(row) - (scale.band * FILLED) / 2 + place * width;
  return (
    <g key={key} fill={color}>
      {spans.map((span, row) => {
        if (span === null || span[0] === span[1]) return null;
        const [from, to] = span.map(scale.y) as [number, number];
        // oxlint-disable-next-line react/no-array-index-key -- rows have no other identity
        return <rect key={row} x={left(row)} y={to} width={width} height={from - to} />;
      })}
    </g>
  );
}
