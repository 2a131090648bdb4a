import { Button, CopyButton } from '@mantine/core';
import { IconCheck, IconTerminal2 } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { type ApiCall, curlOf } from './curl.ts';

/** A button that copies a call of the api as a curl command; the key comes from the environment of the shell. */
export function AsCurl({ call }: { call: ApiCall }): ReactNode {
  return (
    <CopyButton value={curlOf(call, window.location.origin)}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          leftSection={copied ? <IconCheck size={16} /> : <IconTerminal2 size={16} />}
          onClick={copy}
          title="The command needs your key in SIGNALBOX_API_KEY: export SIGNALBOX_API_KEY=sb_live_…"
        >
          {copied ? 'Copied: export SIGNALBOX_API_KEY first' : 'Copy as curl'}
        </Button>
      )}
    </CopyButton>
  );
}
