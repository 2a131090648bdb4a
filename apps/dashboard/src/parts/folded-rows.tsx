import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './folded-rows.module.css';

interface LabelledCellProps {
  label: string;
  /** True for a text of several words, false for a figure. */
  isText?: boolean;
  children: ReactNode;
}

/** A cell of a table of folded rows: where the table is narrow, it is below the first line of its row, after its label. */
export function LabelledCell({ label, isText = false, children }: LabelledCellProps): ReactNode {
  return (
    <Table.Td className={`${classes['below']} ${isText ? classes['text'] : ''}`}>
      <div className={classes['labelled']}>
        <span className={classes['label']}>{label}</span>
        <div>{children}</div>
      </div>
    </Table.Td>
  );
}
