import { area, curveMonotoneX, line } from 'd3-shape';
import type { ReactNode } from 'react';
import type { ChartProps } from './chart-props.ts';
import type { Layer, Scale } from './chart-scale.ts';

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

function Curve({ layer, scale, isFilled }: { layer: Layer; scale: Scale; isFilled: boolean }): ReactNode {
  const { spans, color } = layer;
  const x = (_: unknown, row: number): number => scale.x(row);
  const top = ([, to]: Layer['spans'][number]): number => scale.y(to);
  const ground = ([from]: Layer['spans'][number]): number => scale.y(from);
  const edge = line<Layer['spans'][number]>(x, top).curve(curveMonotoneX)([...spans]);
  const surface = area<Layer['spans'][number]>(x, ground, top).curve(curveMonotoneX)([...spans]);
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
      {spans.map(([from, to], row) =>
        to > from ? (
          // oxlint-disable-next-line react/no-array-index-key -- rows have no other identity
          <rect key={row} x={left(row)} y={scale.y(to)} width={width} height={scale.y(from) - scale.y(to)} />
        ) : null,
      )}
    </g>
  );
}
