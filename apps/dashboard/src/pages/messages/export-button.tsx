import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconDownload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ApiFailure } from '../../api/failure.ts';
import { counted } from '../../parts/counted.ts';
import { sizeOf } from '../../parts/size.ts';
import { type ExportProgress, readCsv, saveFile } from './export-csv.ts';
import { type MessageSearch, queryOf } from './search.ts';
import { WORDS } from './words.ts';

/** A button that exports all messages of a filter. The export continues when the page is left. */
export function ExportButton({ search }: { search: MessageSearch }): ReactNode {
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} />}
      onClick={() => void startExport(search)}
    >
      {WORDS.exportCsv}
    </Button>
  );
}

async function startExport(search: MessageSearch): Promise<void> {
  const stopper = new AbortController();
  const id = notifications.show({
    title: WORDS.exporting,
    message: <Progress progress={{ messages: 0, bytes: 0 }} onStop={() => stopper.abort()} />,
    loading: true,
    autoClose: false,
    withCloseButton: false,
  });
  const show = throttled((progress: ExportProgress) =>
    notifications.update({
      id,
      title: WORDS.exporting,
      message: <Progress progress={progress} onStop={() => stopper.abort()} />,
      loading: true,
      autoClose: false,
      withCloseButton: false,
    }),
  );
  let last: ExportProgress = { messages: 0, bytes: 0 };
  try {
    const file = await readCsv(queryOf(search, Date.now()), stopper.signal, (progress) => {
      last = progress;
      show(progress);
    });
    saveFile(file, `messages-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.csv`);
    end(id, WORDS.exported, amount(last), 'teal');
  } catch (error) {
    if (stopper.signal.aborted) end(id, WORDS.exportStopped, amount(last), 'gray');
    else end(id, WORDS.exportFailed, reasonOf(error), 'red');
  }
}

function end(id: string, title: string, message: string, color: string): void {
  notifications.update({
    id,
    title,
    message,
    color,
    loading: false,
    autoClose: 10_000,
    withCloseButton: true,
  });
}

function Progress({ progress, onStop }: { progress: ExportProgress; onStop: () => void }): ReactNode {
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm">{amount(progress)}</Text>
      <Button size="compact-xs" variant="default" onClick={onStop}>
        {WORDS.stop}
      </Button>
    </Group>
  );
}

function amount({ messages, bytes }: ExportProgress): string {
  return `${counted(messages, 'message')}, ${sizeOf(bytes)}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof ApiFailure)) return 'The connection broke off. Start again.';
  return error.requestId === undefined
    ? error.message
    : `${error.message} (${error.code}, request ${error.requestId})`;
}

/** Calls at most four times a second. */
function throttled<Given>(call: (given: Given) => void): (given: Given) => void {
  let lastMs = 0;
  return (given) => {
    if (Date.now() - lastMs < 250) return;
    lastMs = Date.now();
    call(given);
  };
}
