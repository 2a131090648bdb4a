import { Button } from '@mantine/core';
import { IconCheck, IconTerminal2 } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { type ApiCall, curlOf } from './curl.ts';
import { useCopy } from './use-copy.ts';

/** A button that copies a call of the api as a curl command; the key comes from the environment of the shell. */
export function AsCurl({ call }: { call: () => ApiCall }): ReactNode {
  const { hasCopied, copy } = useCopy();
  return (
    <Button
      variant="default"
      leftSection={hasCopied ? <IconCheck size={16} /> : <IconTerminal2 size={16} />}
      onClick={() => copy(curlOf(call(), window.location.origin))}
      title="The command needs your key in SIGNALBOX_API_KEY: export SIGNALBOX_API_KEY=sb_live_…"
    >
      {hasCopied ? 'Copied: export SIGNALBOX_API_KEY first' : 'Copy as curl'}
    </Button>
  );
}
