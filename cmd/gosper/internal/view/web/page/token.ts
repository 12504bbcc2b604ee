// Secrets that a server may want.

/** A secret comes after # once and is then kept out of sight, so that a copied address does not carry it. */
export function takeSecret(field: string, key: string): string {
  const found = new RegExp(`(?:^#|&)${field}=([^&]*)`).exec(location.hash);
  if (found) {
    sessionStorage.setItem(key, decodeURIComponent(found[1]!));
    const rest = location.hash.replace(found[0], found[0].startsWith("#") ? "#" : "").replace(/^#&?$/, "");
    history.replaceState(null, "", location.pathname + rest);
  }
  return sessionStorage.getItem(key) ?? "";
}

/** By what servers tell this browser from others, to count what it has made: a secret, or others could use up its share. */
export function person(): string {
  const known = localStorage.getItem("person");
  if (known) return known;
  const fresh = Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
  localStorage.setItem("person", fresh);
  return fresh;
}

/** The secret of the server. */
export function takeToken(): string {
  return takeSecret("token", "token");
}
