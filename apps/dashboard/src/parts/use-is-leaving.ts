import { useRouter } from '@tanstack/react-router';

/**
 * Returns a function that says whether the page on show is being left: another is still loading. Whatever navigates then
 * would cancel that.
 */
export function useIsLeaving(): () => boolean {
  const router = useRouter();
  return () => {
    const shown = router.state.resolvedLocation;
    return shown !== undefined && shown.pathname !== router.latestLocation.pathname;
  };
}
