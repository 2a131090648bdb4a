import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './shell.module.css';

/** The sign of the product. */
export function BrandSign({ size = 26 }: { size?: number }): ReactNode {
  return <img src={`${import.meta.env.BASE_URL}icon.svg`} width={size} height={size} alt="" />;
}

/** Sign and name of the product, a link to the first page. */
export function Brand(): ReactNode {
  return (
    <Link to="/" className={classes['brand']!}>
      <BrandSign />
      Signalbox
    </Link>
  );
}
