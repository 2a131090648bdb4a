import { Fragment, type ReactNode } from 'react';
import classes from './key-value-rows.module.css';

/** A fact: its name and its value. A value of null or undefined is left out. */
export type Fact = readonly [name: string, value: ReactNode];

/** Facts about one thing, one per row. */
export function KeyValueRows({ facts }: { facts: readonly Fact[] }): ReactNode {
  return (
    <dl className={classes['facts']}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <div key={name} className={classes['fact']}>
            <dt>{breakable(name)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A name such as `DATABASE_POOL_SIZE`, which a line may end after an underscore of. */
function breakable(name: string): ReactNode {
  const [first, ...rest] = name.split('_');
  return (
    <>
      {first}
      {rest.map((part, i) => (
        <Fragment key={i}>
          _<wbr />
          {part}
        </Fragment>
      ))}
    </>
  );
}
