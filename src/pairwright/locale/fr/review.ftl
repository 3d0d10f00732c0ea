## What reviewers write for each decision, the preferred word first.
decisions-approve = oui, bon, approve, ok
decisions-fix = corriger, fix
decisions-reject = non, mauvais, reject
decisions-unsure = incertain, unsure, ?

## Titles of the columns of sheets.
columns-pair_id = N° de la paire
columns-reviewer = Relecteur
columns-rule = Règle
columns-good = Phrase correcte
columns-bad = Phrase fautive
columns-translation = Traduction
columns-differs = Différence
columns-basis = Sur quoi elle repose
columns-alternatives = Autres corrections
columns-examples = Exemples
columns-source = Source
columns-findings = Ce que dit le contrôle
columns-votes = Avis des relecteurs
columns-reason = Pourquoi la question revient
columns-decision = Décision
columns-fixed_good = Phrase correcte, corrigée
columns-fixed_bad = Phrase fautive, corrigée
columns-comment = Remarque
columns-item_id = N° de la ligne
columns-sentence_a = Phrase A
columns-sentence_b = Phrase B
columns-choice = A ou B
columns-sentence = Phrase
columns-rating = Note de 1 à 7
columns-exported = Exporté (ne pas modifier)

## The review page and the facts beside a pair.
interface-translation = Traduction
interface-basis = Sur quoi elle repose
interface-banned = la source l'exclut
interface-obligatory = déduit : la source énonce la règle sans exception
interface-declared = la règle est déclarée dans
interface-marked = la source signale la phrase fautive
interface-written_by_model = un modèle de langue a écrit la phrase fautive
interface-attested = la phrase correcte figure dans la source
interface-made_from = la phrase correcte est faite d'après une phrase de la source
interface-derived_from = formée par un programme d'après la paire
interface-new_words = mots que la source n'a pas
interface-page_short = p.
interface-title = Relecture
interface-skip_link = Aller à la question
interface-progress = { $done } sur { $total }
interface-pair_question = La première phrase est-elle correcte, et la seconde fautive à cause de cette règle ?
interface-choice_question = Laquelle des deux phrases est meilleure ?
interface-likert_question = Cette phrase est-elle acceptable ?
interface-likert_low = pas du tout
interface-likert_high = tout à fait
interface-good = Correcte
interface-bad = Fautive
interface-differs = Différence
interface-alternatives = Autres corrections
interface-rule = Règle
interface-rule_place = Règle { $number } sur { $total }
interface-new_rule = Nouvelle règle
interface-examples = Exemples
interface-source = Source
interface-page_picture = L'endroit sur la page
interface-no_picture = La page n'a pas pu être affichée.
interface-findings = Ce que dit le contrôle
interface-votes = Avis des relecteurs
interface-reason = Pourquoi la question revient
interface-sentence_a = Phrase A
interface-sentence_b = Phrase B
interface-approve = Oui
interface-fix = Corriger
interface-reject = Non
interface-unsure = Incertain
interface-fixed_good = Phrase correcte, corrigée
interface-fixed_bad = Phrase fautive, corrigée
interface-save_fix = Enregistrer la correction
interface-cancel = Fermer
interface-comment = Remarque
interface-save_comment = Enregistrer la remarque
interface-undo = Annuler
interface-skip = Plus tard
interface-back = Retour
interface-decided = Votre réponse :
interface-saved = Enregistré.
interface-undone = Annulé : { $answer }. « { $sentence } »
interface-nothing_to_undo = Il n'y a rien à annuler.
interface-not_saved = Non enregistré : le serveur ne répond pas. Votre réponse est encore ici ; essayez de nouveau.
interface-other_reviewer = Non enregistré : cette page a été ouverte pour une autre personne, et c'est maintenant { $reviewer } qui répond dans ce navigateur. Ouvrez de nouveau votre propre adresse ; une seule personne à la fois peut répondre dans un navigateur.
interface-fault = Non enregistré. Votre réponse est encore ici ; essayez de nouveau, ou signalez ceci au responsable :
interface-needs_correction = Corrigez une des phrases ; les deux doivent être différentes.
interface-finished = C'est fini. Merci !
interface-finished_more = Vous pouvez fermer cette page, ou revenir à une réponse.
interface-no_script = Sans JavaScript, les touches ne marchent pas, mais les boutons si.
interface-keys_on = Utiliser les touches
interface-keys_fixed = Maj et un nombre reprennent une autre correction, Ctrl+Entrée enregistre, Échap ferme.
interface-expired = Cette adresse n'est plus valable. Ouvrez celle qu'affiche le terminal.
interface-link_expired = Ce lien n'est pas ou n'est plus valable. Demandez-en un nouveau au responsable.
interface-too_many = Trop de requêtes. Attendez un peu et essayez de nouveau.
interface-enter = Entrer
interface-enter_code = Le code de votre lien : ce qui suit le #
interface-enter_switch = Ce navigateur répond au nom de { $now }. Le lien ouvert est pour { $new }. Si personne ne vous l'a envoyé sous ce nom, annulez.
interface-enter_as = Continuer comme { $new }
interface-questionnaire = Avant de commencer
interface-consent = J'ai lu ce texte et je l'accepte.
interface-questionnaire_send = Commencer
interface-questionnaire_incomplete = Non enregistré : acceptez le texte et répondez aux questions marquées d'un *.

## What reviewers read before they begin.
instructions-pairs =
    Chaque ligne contient deux phrases : la première doit être correcte, la seconde fautive selon la règle indiquée. Écrivez un mot
    dans la colonne « Décision » :

    oui – la paire est bonne : la première phrase est correcte, et la seconde est fautive à cause de cette règle.
    corriger – la paire peut être corrigée : écrivez la phrase corrigée dans « Phrase correcte, corrigée » ou « Phrase fautive,
    corrigée » ; si la case reste vide, la phrase reste telle quelle. Pour reprendre une des
    « Autres corrections », écrivez son numéro dans « Décision ».
    non – la paire ne convient pas.
    incertain – vous ne pouvez pas en décider.

    Laissez la case vide tant que vous n'avez pas décidé. Notez vos remarques dans « Remarque » ; vous pouvez ajouter des colonnes. Ne
    modifiez aucune autre case et ne supprimez aucune ligne. Enregistrez le fichier en xlsx, ods ou « CSV UTF-8 ».
instructions-choice =
    Chaque ligne contient deux phrases, A et B. Lisez-les et écrivez dans la colonne « A ou B » la lettre de celle qui vous semble
    meilleure. Il n'y a pas de réponse à chercher dans un livre : fiez-vous à votre sentiment de la langue, sans réfléchir longtemps.
    Si vous hésitez, choisissez-en une quand même.

    Laissez la case vide tant que vous n'avez pas répondu. Notez vos remarques dans « Remarque » ; vous pouvez ajouter des colonnes. Ne
    modifiez aucune autre case et ne supprimez aucune ligne. Enregistrez le fichier en xlsx, ods ou « CSV UTF-8 ».
instructions-likert =
    Chaque ligne contient une phrase. Écrivez dans la colonne « Note de 1 à 7 » à quel point elle vous semble acceptable : de 1 (pas du
    tout : personne ne parlerait ainsi) à 7 (tout à fait : parfaitement naturelle). Utilisez toute l'échelle, fiez-vous à votre
    sentiment de la langue et ne revenez pas sur les phrases précédentes.

    Laissez la case vide tant que vous n'avez pas répondu. Notez vos remarques dans « Remarque » ; vous pouvez ajouter des colonnes. Ne
    modifiez aucune autre case et ne supprimez aucune ligne. Enregistrez le fichier en xlsx, ods ou « CSV UTF-8 ».
