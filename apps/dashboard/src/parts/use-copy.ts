import { useClipboard } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';

/** A text for the clipboard, and whether it was copied a moment ago. */
interface Copying {
  hasCopied: boolean;
  copy: (text: string) => void;
}

/** Copies to the clipboard, or says how to copy: browsers have no clipboard for a page without TLS, and may refuse. */
export function useCopy(): Copying {
  const { copied, copy, error } = useClipboard({ timeout: 1_500 });
  useEffect(() => {
    if (error) notifications.show({ message: `${reason()} Select the text instead.`, color: 'red' });
  }, [error]);
  return { hasCopied: copied, copy };
}

function reason(): string {
  return 'clipboard' in navigator
    ? 'The browser refused to copy.'
    : 'The browser copies only on pages with https.';
}
