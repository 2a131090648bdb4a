import type { ReactNode } from 'react';

export function ChatComposer(_: { to: string | undefined; templateName: string | undefined }): ReactNode {
  return null;
}
