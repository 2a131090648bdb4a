import { useNavigate } from '@tanstack/react-router';
import { signWith } from '../api/connect.ts';
import { forgetSession } from '../api/me.ts';

/** Returns a function that ends the session and opens the sign-in page. */
export function useSignOut(): () => void {
  const navigate = useNavigate();
  return () => {
    signWith(undefined);
    forgetSession();
    void navigate({ to: '/sign-in' });
  };
}
