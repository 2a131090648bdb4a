import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { IconCheck, IconUpload } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiFailure } from '../../api/failure.ts';
import { FailureAlert } from '../../parts/failure-alert.tsx';
import { FileChoice } from '../../parts/file-choice.tsx';
import { UPLOADS, type Upload, upload } from './upload.ts';
import { WORDS } from './words.ts';

const { upload: WORD } = WORDS;

interface MediaUploadProps {
  format: keyof typeof UPLOADS;
  handle: string;
  onHandle: (handle: string) => void;
  /** The sentence of the check about the handle. */
  error: string | undefined;
}

/** Chooses and uploads the file of a header, with its progress. */
export function MediaUpload({ format, handle, onHandle, error }: MediaUploadProps): ReactNode {
  const { share, failure, start, stop } = useUpload(format, onHandle);
  const isUploading = share !== undefined;
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <FileChoice onFile={start} accept={UPLOADS[format].accept} inputProps={{ 'aria-label': WORD.choose }}>
          {(props) => (
            <Button
              {...props}
              variant="default"
              leftSection={<IconUpload size={16} />}
              disabled={isUploading}
            >
              {handle === '' ? WORD.choose : WORD.replace}
            </Button>
          )}
        </FileChoice>
        <Text size="xs" c="dimmed">
          {WORD.hints[format]}
        </Text>
        {handle !== '' && !isUploading && (
          <Group gap={4} c="teal.8" fz="sm">
            <IconCheck size={16} aria-hidden />
            {WORD.done}
          </Group>
        )}
      </Group>
      {isUploading && <UploadProgress share={share} onStop={stop} />}
      <FailureAlert failure={failure} />
      {error !== undefined && !isUploading && !failure && (
        <Text size="xs" c="var(--mantine-color-error)">
          {error}
        </Text>
      )}
    </Stack>
  );
}

function UploadProgress({ share, onStop }: { share: number; onStop: () => void }): ReactNode {
  const percent = Math.round(share * 100);
  const label = percent === 100 ? WORD.storing : WORD.progress(percent);
  return (
    <Group gap="sm" role="status">
      <Progress value={percent} flex={1} aria-label={label} animated={percent === 100} />
      <Text size="xs">{label}</Text>
      <Button size="compact-xs" variant="subtle" onClick={onStop}>
        {WORD.cancel}
      </Button>
    </Group>
  );
}

function useUpload(format: keyof typeof UPLOADS, onHandle: (handle: string) => void) {
  const [share, setShare] = useState<number>();
  const [failure, setFailure] = useState<ApiFailure>();
  const current = useRef<Upload>(undefined);
  useEffect(() => () => current.current?.stop(), []);
  const start = (file: File): void => {
    const limit = UPLOADS[format].megabytes;
    if (file.size > limit * 1024 * 1024) {
      setFailure(new ApiFailure(WORD.tooLarge(`${limit} MB`), 'file_too_large', 0, undefined, []));
      return;
    }
    setFailure(undefined);
    setShare(0);
    current.current = upload(file, setShare);
    current.current.handle
      .then(onHandle, (error: ApiFailure) => {
        if (error.code !== 'aborted') setFailure(error);
      })
      .finally(() => setShare(undefined));
  };
  return { share, failure, start, stop: () => current.current?.stop() };
}
