import { IconFileText, IconPhoto, IconPlayerPlay } from '@tabler/icons-react';
import type { RenderedChat } from '@signalbox/domain/chat/message';
import { type ReactNode, useState } from 'react';
import classes from './phone.module.css';
import { WORDS } from './words.ts';

type Header = NonNullable<RenderedChat['header']>;
type FileHeader = Exclude<Header, { type: 'text' }>;

const ICONS = { image: IconPhoto, video: IconPlayerPlay, document: IconFileText };

/** Address of an uploaded file of the account. */
function mediaUrl(handle: string): string {
  return `/v1/chatapp/media/${encodeURIComponent(handle)}`;
}

/**
 * The file of a header. Uploaded files are shown; files that a message links to are named, because the page loads nothing
 * from elsewhere.
 */
export function PhoneMedia({ file }: { file: FileHeader }): ReactNode {
  const [isBroken, setBroken] = useState(false);
  const handle = 'handle' in file ? file.handle : undefined;
  if (handle === undefined || handle === '' || isBroken || file.type === 'document')
    return <NamedFile file={file} isBroken={isBroken} />;
  const shared = { src: mediaUrl(handle), className: classes['media'], onError: () => setBroken(true) };
  // oxlint-disable-next-line jsx-a11y/media-has-caption -- a preview of the sender's own file
  return file.type === 'image' ? (
    <img {...shared} alt={WORDS.image} />
  ) : (
    <video {...shared} controls preload="metadata" />
  );
}

function NamedFile({ file, isBroken }: { file: FileHeader; isBroken: boolean }): ReactNode {
  const Icon = ICONS[file.type];
  const handle = 'handle' in file ? file.handle : undefined;
  return (
    <div className={file.type === 'document' ? classes['document'] : classes['poster']}>
      <Icon size={22} stroke={1.5} aria-hidden />
      <div>
        <div className={classes['fileName']}>{nameOf(file)}</div>
        <div className={classes['quiet']}>{isBroken ? WORDS.noFile : noteOf(file)}</div>
        {handle !== undefined && handle !== '' && (
          <a className={classes['quiet']} href={mediaUrl(handle)} download>
            {WORDS.openMedia}
          </a>
        )}
      </div>
    </div>
  );
}

function nameOf(file: FileHeader): string {
  if ('filename' in file && file.filename) return file.filename;
  return WORDS[file.type];
}

function noteOf(file: FileHeader): string | undefined {
  if ('link' in file && file.link !== '') return WORDS.fetchedFrom(hostOf(file.link));
  return 'handle' in file && file.handle !== '' ? undefined : WORDS.notUploaded;
}

function hostOf(link: string): string {
  return URL.parse(link)?.host ?? link;
}
