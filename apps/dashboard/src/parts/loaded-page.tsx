import type { ReactNode } from 'react';
import { Loaded, type LoadedProps } from './loaded.tsx';
import { Page, type PageProps } from './page.tsx';

interface LoadedPageProps<Data> extends LoadedProps<Data>, Pick<PageProps, 'title'> {}

/** Shows an answer whose content is a whole page. The placeholder and a failure are shown in a page of this title. */
export function LoadedPage<Data>({ answer, title, ...rest }: LoadedPageProps<Data>): ReactNode {
  const loaded = <Loaded answer={answer} {...rest} />;
  if (answer.data !== undefined) return loaded;
  return <Page title={title}>{loaded}</Page>;
}
