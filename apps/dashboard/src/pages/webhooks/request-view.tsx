import { Box, Code } from '@mantine/core';
import type { RenderedCall } from '@signalbox/client';
import type { ReactNode } from 'react';
import { indented } from '../../parts/json-view.tsx';
import classes from './webhooks.module.css';

/** A request as it goes over the wire: its line, its headers, its body. */
export function RequestView({ call, label }: { call: RenderedCall; label: string }): ReactNode {
  const { origin, path } = split(call.url);
  return (
    <Box className={classes['request']} role="region" aria-label={label} tabIndex={0}>
      <div className={classes['line']}>
        <b>{call.method}</b> {path}
      </div>
      <HeaderLine name="host" value={origin} />
      {Object.entries(call.headers).map(([name, value]) => (
        <HeaderLine key={name} name={name} value={String(value)} />
      ))}
      {call.body !== null && (
        <Code block mt="sm" className={classes['body']!}>
          {indented(call.body)}
        </Code>
      )}
    </Box>
  );
}

/** A header of a request. */
export function HeaderLine({ name, value }: { name: string; value: string }): ReactNode {
  return (
    <div className={classes['line']}>
      <span className={classes['name']}>{name}:</span> {value}
    </div>
  );
}

function split(url: string): { origin: string; path: string } {
  const match = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url);
  const path = match?.[2] ?? url;
  return { origin: match?.[1] ?? '', path: path.startsWith('/') ? path : `/${path}` };
}
