import { FileButton, type FileButtonProps } from '@mantine/core';
import { type ReactNode, useRef } from 'react';

interface FileChoiceProps extends Pick<FileButtonProps, 'accept' | 'inputProps' | 'children'> {
  onFile: (file: File) => void;
}

/** Gives a button the choice of a file, also of the one that was chosen before: it may have changed since. */
export function FileChoice({ onFile, ...button }: FileChoiceProps): ReactNode {
  const reset = useRef<() => void>(null);
  const choose = (file: File | null) => {
    // a browser reports the same file again only to an empty field
    reset.current?.();
    if (file) onFile(file);
  };
  return <FileButton {...button} resetRef={reset} onChange={choose} />;
}
