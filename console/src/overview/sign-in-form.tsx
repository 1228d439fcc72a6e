import {useId} from 'preact/hooks';
import type {OverviewState} from './overview-state.ts';

/** Leads to the form, if one is shown; one that is folded is unfolded. */
export function focusSignIn(): void {
  const form = document.querySelector('.sign-in');
  form?.closest('details')?.setAttribute('open', '');
  form?.querySelector('input')?.focus();
}

/** The form with which a pilot signs in. The password is sent once, and kept nowhere. */
export function SignInForm({overview}: {readonly overview: OverviewState}) {
  const id = useId();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = new FormData(form);
    const isDone = await overview.signIn(String(fields.get('username')), String(fields.get('password')));
    form.querySelector<HTMLInputElement>('[name="password"]')?.select();
    if (isDone) form.reset();
  };
  return (
    <form class="sign-in" onSubmit={submit} aria-label="Sign in">
      <label for={`${id}-name`}>Pilot number or e-mail address</label>
      <input
        id={`${id}-name`}
        name="username"
        autocomplete="username"
        autocapitalize="off"
        spellcheck={false}
        required
      />
      <label for={`${id}-password`}>Password</label>
      <input id={`${id}-password`} name="password" type="password" autocomplete="current-password" required />
      <div class="form-foot">
        <button type="submit" class="primary" disabled={overview.isChangingSession.value}>
          Sign in
        </button>
      </div>
    </form>
  );
}
