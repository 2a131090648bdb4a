import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ClientResult } from '../api/answer.ts';
import { withoutReads } from '../api/held-reads.ts';
import { useAct } from '../api/use-act.ts';
import { ConfirmButton, type ConfirmButtonProps } from './confirm-button.tsx';
import { useNextPage } from './use-next-page.ts';

interface DeleteButtonProps extends Omit<ConfirmButtonProps, 'onConfirm'> {
  /** First member of the keys of its kind, and the address of their list. */
  area: 'chat-accounts' | 'gateways' | 'routes' | 'sms-templates' | 'templates' | 'verification' | 'webhooks';
  onDelete: () => ClientResult<unknown>;
  /** Sentence to show after success. */
  done: string;
}

/** A button that asks, deletes what its page shows, and opens the list. */
export function DeleteButton({ area, onDelete, done, ...button }: DeleteButtonProps): ReactNode {
  const openNext = useNextPage();
  const queries = useQueryClient();
  const remove = useAct(onDelete, { done });
  const confirm = async () => {
    await withoutReads(async () => {
      await remove.mutateAsync();
      await openNext({ to: `/${area}` });
    });
    await queries.invalidateQueries({ queryKey: [area] });
  };
  return <ConfirmButton {...button} onConfirm={confirm} />;
}
