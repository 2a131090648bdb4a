import type { ReactNode } from 'react';
import { Loaded, type LoadedProps } from './loaded.tsx';
import { Page, type PageProps } from './page.tsx';

interface LoadedPageProps<Data> extends LoadedProps<Data>, Required<Pick<PageProps, 'title' | 'crumbs'>> {}

/** An answer whose content is a page. Its placeholder and its failure are pages of this title. */
export function LoadedPage<Data>({ answer, title, crumbs, ...rest }: LoadedPageProps<Data>): ReactNode {
  const loaded = <Loaded answer={answer} {...rest} />;
  if (answer.data !== undefined) return loaded;
  return (
    <Page title={title} crumbs={crumbs}>
      {loaded}
    </Page>
  );
}
