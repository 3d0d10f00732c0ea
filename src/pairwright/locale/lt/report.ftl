## Everywhere
percent = {""} %{""}
range = nuo { $low } iki { $high }
more = { $names } ir dar { $n }
and = { $first } ir { $second }
page_title = { $title }: kalbos modeliai ir minimaliosios poros

## page
page-kind = Vertinimas minimaliosiomis poromis
page-kind_unreviewed = Vertinimas nepatikrintomis minimaliosiomis poromis
page-unreviewed_hash = Nepatikrintas rinkinys; jo porų SHA-256:
page-release_hash = MANIFEST.sha256 failo SHA-256:
page-faults = Pastabos apie įvesties duomenis
page-more = Dar { $n }
page-contents = Skyriai
page-release = Laida
page-language = Kalba
page-pairs = Poros
page-left_out = Praleista eilučių, kurios nėra poros
page-rules = Taisyklės
page-n_exceptions = iš jų { $n } { $n ->
        [one] išimtis
        [few] išimtys
        *[other] išimčių
    }
page-approvals = Pritarimų porai
page-at_least = { $n } ar daugiau
page-sampled = Išleista neperžiūrėjus
page-n_sampled = { $n } { $n ->
        [one] pora
        [few] poros
        *[other] porų
    }, nes jų partijų imtys buvo pakankamai geros
page-models = Modeliai
page-n_asked = klausimų užduota { $n } { $n ->
        [one] modeliui
        [few] modeliams
        *[other] modelių
    }
page-commit = pakeitimas { $id }
page-weights = svorių SHA-256 { $id }
page-no_identity = neužfiksuota
page-software = Programinė įranga: { $packages }.
page-good = taisyklingas
page-bad = klaidingas
page-exception = taisyklės išimtis
page-correlation = koreliacija { NUMBER($r) }
page-right_of = Pagal sum_logprob { $n ->
        [one] teisus
        [few] teisūs
        *[other] teisių
    } { $n } iš { $of } { $of ->
        [one] modelio
        [few] modelių
        *[other] modelių
    }
page-line = { $model }: taisyklingas sakinys pranašesnis: sum_logprob { $sum } nato, mean_nll { $mean } nato žetonui ({ $good } ir { $bad } { $bad ->
        [one] žetonas
        [few] žetonai
        *[other] žetonų
    })
page-file = { $name }, { $ending } failas

## sections
sections-overall = Bendras rezultatas
sections-rules = Pagal taisykles ir reiškinius
sections-conditions = Žodžių tvarka ir prijungimas
sections-comparisons = Modelis prieš modelį, dydis ir derinimas
sections-tasks = Užduotys su užklausomis
sections-matrices = Matricos
sections-measures = sum_logprob ir mean_nll
sections-confounds = Kas dar paaiškina įverčius
sections-people = Žmonės ir modeliai
sections-other-tools = Kiti įrankiai ir užduotys
sections-morphology = Skaidymas žetonais ir morfemos
sections-pairs = Atskiros poros
sections-measured = Kas išmatuota
sections-methods = Metodai
sections-limits = Ribotumai

## terms, overall
terms-overall-all-pairs = visos poros
terms-overall-without-exceptions = be išimčių
terms-overall-exceptions-alone = tik išimtys

## terms, phenomenon
terms-phenomenon-all-phenomena = visi reiškiniai
terms-phenomenon-unknown = nežinoma

## terms, measure
terms-measure-sum_logprob = sum_logprob
terms-measure-mean_nll = mean_nll
terms-measure-slor = SLOR

## terms, basis
terms-basis-rules = taisykles
terms-basis-families = sakinių šeimas
terms-basis-pairs = poras

## terms, category
terms-category-all = visos

## terms, condition
terms-condition-baseline = pradinė

## terms, property
terms-property-length-in-characters = ilgis rašmenimis
terms-property-number-of-tokens = žetonų skaičius
terms-property-word-frequency = žodžių dažnis
terms-property-unigram-probability = unigramų tikimybė

## terms, relation
terms-relation-base-instruct = to paties dydžio bazinis ir derintas
terms-relation-size = tos pačios šeimos dydžiai
terms-relation-family = dvi šeimos
terms-relation-other = skiriasi ne vienu dalyku

## terms, policy
terms-policy-chat = žodžius
terms-policy-logprob = tikimybių logaritmus
terms-policy-trained = išmokytą tinklą

## terms, wording
terms-wording-own = užduoties kalba
terms-wording-english = angliškai

## settings
settings-kind-causal = iš kairės į dešinę
settings-kind-masked-pll = paslepiant po vieną žetoną
settings-kind-masked-pll-within-word = paslepiant žetoną kartu su likusia žodžio dalimi
settings-kind-seq2seq = dekoderiu iš kairės į dešinę
settings-first-token-scored = su pirmuoju žetonu
settings-first-token-not-scored = be pirmojo žetono
settings-bos-auto = su paties modelio pradžios ženklu
settings-bos-always = su pradžios ženklu
settings-bos-never = be pradžios ženklo
settings-bos-or-eos = priekyje su pradžios arba pabaigos ženklu
settings-first_token-given-bos = su pirmuoju žetonu, jei prieš jį yra pradžios ženklas
settings-first_token-unscored = visada be pirmojo žetono
settings-prefix-_27_27 = be teksto priekyje
settings-prefix-_27-_27 = su tarpu priekyje
settings-prefix_scored-False = nevertinant to, kas priekyje
settings-prefix_scored-True = vertinant ir tai, kas priekyje
settings-final_period-as-is = su tašku, koks yra
settings-final_period-removed = be taško sakinio gale
settings-final_period-added = su tašku sakinio gale
settings-case-as-is = didžiųjų raidžių nekeičiant
settings-case-lower = mažosiomis raidėmis
settings-eos-unscored = be pabaigos ženklo
settings-eos-scored = su pabaigos ženklu

## faults
faults-other-release = { $subject }: vertintas ne ši laida, todėl modelis neįtrauktas (programos pranešimas: „{ $reason }“)
faults-other-pairs = { $subject }: vertintos ne šios poros, todėl modelis neįtrauktas (programos pranešimas: „{ $reason }“)
faults-missing = { $subject }: { $n } iš { $of } { $of ->
        [one] poros
        [few] porų
        *[other] porų
    } neturi įverčio ir į jokius modelio skaičius neįeina: { $ids }
faults-not-finite = { $subject }: { $n } iš { $of } { $of ->
        [one] poros
        [few] porų
        *[other] porų
    } įvertis nėra baigtinis skaičius, todėl į jokius modelio skaičius jos neįeina: { $ids }
faults-two-policies = { $subject } vertintas { $n } { $n ->
        [one] būdu
        [few] būdais
        *[other] būdų
    }: { $labels }; jie rodomi atskirai ir tarpusavyje nelyginami
faults-same-weights = { $labels }: tie patys svoriai, todėl ten, kur skaičiuojami modeliai, jie laikomi vienu modeliu
faults-one-pair = { $n } iš { $of } { $subject ->
        [groups] grupių
        *[rules] taisyklių
    } turi tik vieną porą, o iš jos spręsti negalima; vidurkis pateikiamas ir su jomis, ir be jų: { $labels }
faults-other-items = { $subject } atsakė į { $n } { $n ->
        [one] klausimą, kurio
        [few] klausimus, kurių
        *[other] klausimų, kurių
    } laidoje nėra, todėl jie neįtraukti; jei klausimai yra atskirame aplanke, nurodykite jį su --items: { $labels }
faults-not-answered = { $subject } neatsakė į { $n } iš { $of } { $of ->
        [one] klausimo
        [few] klausimų
        *[other] klausimų
    }; pirmojo priežastis – „{ $reason }“: { $labels }
faults-asked-otherwise = { $subject }: pateikti ne tie patys klausimai arba ne tiek pavyzdžių kaip daugumai modelių, todėl rezultatai pateikti atskiruose stulpeliuose: { $labels }
faults-not-scored = neįvertinta (programos pranešimas: „{ $reason }“)

## fault_kinds
fault_kinds-other-release = kita laida
fault_kinds-other-pairs = kitos poros
fault_kinds-missing = nėra įverčio
fault_kinds-not-finite = ne baigtinis skaičius
fault_kinds-two-policies = du vertinimo būdai
fault_kinds-same-weights = tie patys svoriai
fault_kinds-one-pair = viena pora
fault_kinds-other-items = kiti klausimai
fault_kinds-not-answered = neatsakyta
fault_kinds-asked-otherwise = klausta kitaip
fault_kinds-not-scored = neįvertinta

## finding
finding-ways = Modeliai vertinti { $n } { $n ->
        [one] būdu
        [few] skirtingais būdais
        *[other] skirtingų būdų
    }, o skirtingais būdais gauti skaičiai nelygintini, todėl kiekvienas būdas turi savo rezultatą.
finding-way = Vertinta { $way }. { $result }
finding-unusable = { $model }: nė viena pora neturi tinkamų įverčių.
finding-single = { $model } taisyklingą sakinį laiko tikėtinesniu { PERCENT($share) } % atvejų iš { $n } { $n ->
        [one] poros
        [few] porų
        *[other] porų
    } (95 % intervalas { PERCENT($low) }–{ PERCENT($high) } %; spėliojant būtų 50 %).
finding-best = Geriausias iš { $n_models } { $n_models ->
        [one] modelio
        [few] modelių
        *[other] modelių
    } – { $model }: taisyklingą sakinį jis laiko tikėtinesniu { PERCENT($share) } % atvejų iš { $n } { $n ->
        [one] poros
        [few] porų
        *[other] porų
    } (95 % intervalas { PERCENT($low) }–{ PERCENT($high) } %; spėliojant būtų 50 %).
finding-alike = Jo persvara prieš { $n } { $n ->
        [one] kitą modelį
        [few] kitus modelius
        *[other] kitų modelių
    } gali būti atsitiktinė.
finding-sure = Jo persvara prieš kiekvieną kitą modelį neatsitiktinė.
finding-task = { $column }: { $model } ({ PERCENT($value) } %)
finding-task_mcc = { $column }: { $model } ({ NUMBER($value) })
finding-tasks = Geriausi pagal užduotį: { $names }.
finding-last = Paskutinis – { $model }: { PERCENT($share) } %.
finding-phenomenon = Pagal reiškinius { $model } geriausiai atpažįsta „{ $easy }“ ({ PERCENT($high) } %), prasčiausiai – „{ $hard }“ ({ PERCENT($low) } %).
finding-rule = Pagal taisykles { $model } geriausiai atpažįsta „{ $easy }“ ({ PERCENT($high) } %), prasčiausiai – „{ $hard }“ ({ PERCENT($low) } %).
finding-chance_single = Neįrodyta, kad tai geriau už spėliojimą.
finding-chance_all = Neįrodyta, kad kuris nors iš jų būtų geresnis už spėliojimą.
finding-chance_some = Neįrodyta, kad { $n } iš { $of } { $of ->
        [one] modelio
        [few] modelių
        *[other] modelių
    } { $n ->
        [one] būtų geresnis
        [few] būtų geresni
        *[other] būtų geresni
    } už spėliojimą.
finding-below_single = Tai blogiau už spėliojimą: modelis tikėtinesniais laiko klaidingus sakinius, galbūt dėl jų ilgio.
finding-below_some = { $n } iš { $of } { $of ->
        [one] modelio
        [few] modelių
        *[other] modelių
    } { $n ->
        [one] yra blogesnis
        [few] yra blogesni
        *[other] yra blogesni
    } už spėliojimą.

## text
text-power_none = Turint { $n } { $n ->
        [one] porą
        [few] poras
        *[other] porų
    }, jokių dviejų modelių neįmanoma atskirti keturis kartus iš penkių.
text-power = Turint { $n } { $n ->
        [one] porą
        [few] poras
        *[other] porų
    }, du modelius galima atskirti keturis kartus iš penkių, jei jie skiriasi maždaug { WHOLE($points) } procentiniais punktais ({ $basis }).
text-power_assumed = jei kas penktoje poroje teisus būtų tik vienas iš jų
text-power_measured = jei jie nesutaria taip dažnai kaip šie modeliai – dėl { WHOLE($discordance) } % porų; { WHOLE($points) } punktais, jei tos pačios taisyklės poros būtų nepriklausomos
text-one_rule = Visos poros yra vienos taisyklės: { $rule }.
text-conditions = Čia kartu skaičiuojamos { $n } { $n ->
        [one] sąlygos
        [few] sąlygų
        *[other] sąlygų
    } poros: { $names }. Toliau kiekviena sąlyga pateikta atskirai.
text-comparisons = Iš { $n } { $n ->
        [one] modelių poros
        [few] modelių porų
        *[other] modelių porų
    } pagal sum_logprob 5 % lygmeniu skiriasi { $holm } po Holmo pataisos ir { $bh } po Benjaminio ir Hochbergo pataisos. Jei skirtumo nerasta, tai dar nereiškia, kad jo nėra.
text-hardest_heading = Sunkiausios poros
text-hardest_none = Pagal sum_logprob teisingai įvertintos visos poros.
text-hardest = Pagal sum_logprob neteisingai { $n ->
        [one] įvertinta
        [few] įvertintos
        *[other] įvertinta
    } { $n } { $n ->
        [one] pora
        [few] poros
        *[other] porų
    }.
text-hardest_shown = Pagal sum_logprob neteisingai { $n ->
        [one] įvertinta
        [few] įvertintos
        *[other] įvertinta
    } { $n } { $n ->
        [one] pora
        [few] poros
        *[other] porų
    }; čia rodomos { $shown } labiausiai nuo teisingo įvertinimo nutolusios.
text-hardest_models = Pagal sum_logprob bent vieno modelio neteisingai { $n ->
        [one] įvertinta
        [few] įvertintos
        *[other] įvertinta
    } { $n } { $n ->
        [one] pora
        [few] poros
        *[other] porų
    }.
text-hardest_models_shown = Pagal sum_logprob bent vieno modelio neteisingai { $n ->
        [one] įvertinta
        [few] įvertintos
        *[other] įvertinta
    } { $n } { $n ->
        [one] pora
        [few] poros
        *[other] porų
    }; čia rodomos { $shown } labiausiai nuo teisingo įvertinimo nutolusios.
text-hardest_returned = { $n } { $n ->
        [one] porą
        [few] poras
        *[other] porų
    } neteisingai įvertino visi modeliai; { $n ->
        [one] ją
        [few] jas
        *[other] jas
    } reikėtų peržiūrėti dar kartą.
text-hardest_doubt = Pora, dėl kurios klysta visi modeliai, gali būti su klaida: peržiūrėkite ją dar kartą.
text-discriminating_heading = Poros, išskiriančios modelius
text-discriminating = Modeliai, kurie teisūs dėl šių porų, dažniausiai teisūs ir dėl visų kitų: geras modelis jas įvertina teisingai, silpnas – ne. Skaičius yra pataisytoji klausimo ir bendro rezultato koreliacija.
text-measures = Ilgesnio sakinio sum_logprob (žetonų tikimybių logaritmų suma, natais) paprastai mažesnė; mean_nll (ta suma su priešingu ženklu, žetonui) ilgio įtaką pašalina. Kur jie dėl poros nesutaria, rezultatas priklauso nuo mato.
text-confounds_sum_logprob = Pagal sum_logprob { WHOLE($r2) } % modelio įverčių skirtumų dispersijos paaiškina skirtumai: { $names } ({ $model }, didžiausia dalis).
text-confounds_mean_nll = Pagal mean_nll { WHOLE($r2) } % modelio įverčių skirtumų dispersijos paaiškina skirtumai: { $names } ({ $model }, didžiausia dalis).
text-people = Vertino { $n } { $n ->
        [one] žmogus
        [few] žmonės
        *[other] žmonių
    }.
text-people_unanimous = { $n } iš { $of } { $of ->
        [one] reiškinio
        [few] reiškinių
        *[other] reiškinių
    } taisyklingus sakinius geriau vertina visi vertintojai.
text-people_unknown = { $n } { $n ->
        [one] vertintos poros
        [few] vertintų porų
        *[other] vertintų porų
    } šioje laidoje nėra, todėl su modeliais { $n ->
        [one] ji nelyginama
        [few] jos nelyginamos
        *[other] jos nelyginamos
    }: { $ids }.
text-people_best = Su žmonių vertinimais geriausiai sutampa modelio { $model } įverčių skirtumai: r = { NUMBER($r) }, { $n } { $n ->
        [one] pora
        [few] poros
        *[other] porų
    }, pagal sum_logprob.
text-tools_differ = Kiti įrankiai { $n } iš { $of } { $of ->
        [one] poros
        [few] porų
        *[other] porų
    } vertina kitaip negu mes.
text-tools_unmatched = Modeliai, kurių įverčių neturime ir lyginti negalime: { $names }.
text-returned = visi { $n } { $n ->
        [one] modelis
        [few] modeliai
        *[other] modelių
    } tikėtinesniu laiko klaidingą sakinį arba abu vertina vienodai: ar taisyklingas sakinys tikrai taisyklingas, klaidingas – klaidingas, o pakeitimas – tas, kurį nurodo taisyklė?
text-asked = { $n_models } { $n_models ->
        [one] modeliui
        [few] modeliams
        *[other] modelių
    } { $n ->
        [one] užduotas
        [few] užduoti
        *[other] užduota
    } { $n } { $n ->
        [one] klausimas
        [few] klausimai
        *[other] klausimų
    } iš { $n_tasks } { $n_tasks ->
        [one] užduoties
        [few] užduočių
        *[other] užduočių
    }; atsakyta į { $answered }.
text-task_chance = Atsitiktinis rezultatas – tikslumas, jei kiekvienam klausimui atsitiktinai parenkama tiek variantų, kiek jų teisingų.
text-task_place = { $model }, { $task }
text-task_within = Atsitiktinis rezultatas patenka į šiuos intervalus: { $names }.
text-task_answer = { $model }, { $task } (visada { $answer })
text-task_always = Visada pateiktas tas pats atsakymas, todėl jis nieko nesako apie tai, ką modelis perskaitė: { $names }.
text-task_missing = { $n } iš { $of } { $of ->
        [one] klausimo
        [few] klausimų
        *[other] klausimų
    } neturi perskaitomo atsakymo; į tikslumą jie neįskaičiuoti.

## figures
figures-few = Kai kurie taškai remiasi mažiau kaip { $few } porų; mažiausiai paremtas – { $n } { $n ->
        [one] pora
        [few] poromis
        *[other] porų
    }.
figures-conditioned = { $title }; vertinta { $way }

## figures, ranking
figures-ranking-title = Visų porų tikslumas pagal sum_logprob
figures-ranking-description = Kiekvieno modelio taškas, geriausias viršuje; { $over }; punktyras – atsitiktinis rezultatas.

## figures, size
figures-size-title = Dydis ir tikslumas, kiekvienai šeimai po liniją
figures-size-description = { $n_models } { $n_models ->
        [one] modelis
        [few] modeliai
        *[other] modelių
    } pagal parametrų skaičių ir tikslumą pagal sum_logprob; tos pačios šeimos modeliai sujungti.

## figures, rules
figures-rules-title = Taisyklių tikslumas pagal sum_logprob; n – porų skaičius
figures-rules-description = { $n_rules } { $n_rules ->
        [one] taisyklė
        [few] taisyklės
        *[other] taisyklių
    } nuo sunkiausios iki lengviausios; { $over }; tušti skrituliai remiasi vos keliomis poromis.

## axes
axes-instruct = derintas: tuščias žymeklis
axes-parameters = parametrai

## columns
columns-low = nuo
columns-high = iki
columns-a = A
columns-accuracy = Tikslumas
columns-answered = Atsakyta
columns-policy = Atsakyta per
columns-b = B
columns-baseline = Pradinė
columns-both = Teisingai abu
columns-precision = Ribų preciziškumas
columns-recall = Ribų atkūrimas
columns-category = Kategorija
columns-chance = Atsitiktinis
columns-template = Pokalbio šablonas
columns-n_choices = Pasirinkimai
columns-n_clusters = Grupės
columns-coefficient = Koeficientas
columns-condition = Sąlyga
columns-construction = Sudarymo būdas
columns-cost = Kaina
columns-cut = Nukirsta
columns-under = Per retai skaidyta
columns-over = Per dažnai skaidyta
columns-dataset = Duomenų rinkinys
columns-property = Kuo skiriasi
columns-draws = Imtys
columns-distance = Taisymų žodžiui
columns-exact = Tikslu
columns-shots = Pavyzdžiai
columns-f1 = F1
columns-failed = Nepavyko
columns-input_tokens = Įvesties žetonai
columns-basis = Intervalas per
columns-n_differ = Vertinta kitaip
columns-kind = Rūšis
columns-label = Žyma
columns-languages = Kalba
columns-majority = Dauguma teisi
columns-mean_nll = Pagal mean_nll
columns-mean_only = Tik pagal mean_nll
columns-measure = Matas
columns-metric = Metrika
columns-model = Modelis
columns-neither = Nė vienas
columns-n_tied = Skirtumo nėra
columns-n_unusable = Netinkami
columns-number_format = Skaičių formatas
columns-subject = Ko
columns-only_a = Teisus tik A
columns-only_b = Teisus tik B
columns-only_baseline = Teisinga tik pradinė
columns-only_condition = Teisinga tik sąlyga
columns-ours = Mūsų
columns-output_tokens = Išvesties žetonai
columns-p = p
columns-p_bh = p, Benjamini ir Hochberg
columns-p_holm = p, Holm
columns-p_mcnemar = p, McNemar
columns-n = Poros
columns-n_pairs = Poros
columns-n_rules = Taisyklės
columns-n_single = Taisyklės su viena pora
columns-pairs_taken = Kurios poros
columns-pattern = Dėsningumas
columns-pearson = Pearsono r
columns-phenomenon = Reiškinys
columns-n_prefer = Renkasi taisyklingą
columns-problems = Uždaviniai
columns-prompts = Užklausa
columns-gap = Skelbtos − kitos
columns-r2 = R²
columns-n_raters = Vertintojai
columns-refused = Atsisakyta
columns-relation = Santykis
columns-requested = Prašyta
columns-right_of_all = Teisinga iš visų
columns-rule = Taisyklė
columns-scored = Vertinta
columns-sd = SN
columns-seconds = Sekundės
columns-seed = Pradinė reikšmė
columns-n_runs = Pradmenys
columns-share = Dalis
columns-size = Dydis
columns-slor = SLOR
columns-source = Šaltinis
columns-spearman = Spearmano ρ
columns-standard_error = Standartinė paklaida
columns-state = Būsena
columns-sum_logprob = Pagal sum_logprob
columns-sum_only = Tik pagal sum_logprob
columns-task = Užduotis
columns-test = Testo dalis
columns-theirs = Jų
columns-thinking_tokens = Mąstymo žetonai
columns-ties = Lygiosios
columns-tool = Įrankis
columns-unreadable = Neperskaitoma
columns-value = Reikšmė
columns-message = Kas nutiko
columns-n_both = Su pradine
columns-wording = Užklausos kalba
columns-mean_difference = z skirtumas
columns-licence = Licencija
columns-citation = Kaip cituoti
columns-architecture = Architektūra
columns-parameters = Parametrai
columns-device = Įrenginys
columns-hardware = Aparatinė įranga
columns-date = Data
columns-without_single = Be jų

## cells
cells-server = serverio
cells-yes = taip
cells-no = ne

## tables
tables-few = { $n } iš { $of } { $of ->
        [one] eilutės
        [few] eilučių
        *[other] eilučių
    } remiasi mažiau kaip { $few } porų: modeliams atskirti to per maža.
tables-bases = 95 % intervalai apskaičiuoti pagal { $bases }
tables-not_ranked = Skirtingai vertinti modeliai rodomi atskirai: jų sumos nelygintinos.

## tables, ranking
tables-ranking-title = Visų porų tikslumas
tables-ranking-note = Procentas porų, kurių taisyklingas sakinys tikėtinesnis: pagal sum_logprob, tikimybių logaritmų sumą natais, ir pagal mean_nll, natais žetonui. { $over }.

## tables, rule-means
tables-rule-means-title = Taisyklių vidurkis
tables-rule-means-note = Procentai; kiekviena taisyklė skaičiuojama vieną kartą, 95 % intervalai apskaičiuoti pagal taisykles. Paskutiniame stulpelyje nėra taisyklių, turinčių vieną porą.

## tables, phenomena-by-model
tables-phenomena-by-model-title = Tikslumas pagal reiškinį ir modelį, pagal sum_logprob

## tables, table-2
tables-table-2-title = Tikslumas pagal taisyklę ir modelį, pagal sum_logprob
tables-table-2-note = Porų procentas; mėlyna – daugiau už atsitiktinį rezultatą, oranžinė – mažiau, blankiau – kur porų nedaug.

## tables, groups
tables-groups-by-overall = Tikslumas su išimtimis ir be jų
tables-groups-by-phenomenon = Tikslumas pagal reiškinius
tables-groups-by-rule = Tikslumas pagal taisykles
tables-groups-by-construction = Tikslumas pagal sudarymo būdą
tables-groups-by-source = Tikslumas pagal šaltinius
tables-groups-note = Porų procentas; { $over }; lygiosios pagal sum_logprob teisingomis nelaikomos.

## tables, conditions
tables-conditions-title = Visos paradigmų sąlygos
tables-conditions-note = Tikslumas su Wilsono intervalais. Skirtumai procentiniais punktais su 95 % intervalais; jiems ir p reikšmėms tos pačios taisyklės paradigmos laikomos priklausomomis, jei yra bent { $fewest } { $fewest ->
        [one] taisyklė
        [few] taisyklės
        *[other] taisyklių
    }; McNemaro p visas laiko nepriklausomomis.
tables-conditions-difference = Sąlyga − pradinė

tables-conditions-by-model-title = Tikslumas pagal sąlygą, pagal sum_logprob
tables-conditions-by-model-note = Porų procentas.

## tables, comparisons
tables-comparisons-title = Modelis prieš modelį, tos pačios poros
tables-comparisons-note = Skirtumai procentiniais punktais su 95 % intervalais. Jiems ir p reikšmėms tos pačios grupės – taisyklės arba sakinių šeimos – poros laikomos priklausomomis; tikslusis McNemaro testas visas poras laiko nepriklausomomis, todėl yra per griežtas, kai taisyklės skiriasi. Holmo ir Benjaminio–Hochbergo pataisos taikomos visiems to mato palyginimams.
tables-comparisons-difference = A − B

## tables, measures
tables-measures-title = Poros pagal matus, kurie jas įvertina teisingai

## tables, confounds
tables-confounds-title = Kas dar susiję su modelio įverčių skirtumais
tables-confounds-note = Dviejų sakinių – taisyklingo ir klaidingo – skirtumų standartizuoti koeficientai su 95 % intervalais, kuriems tos pačios taisyklės poros laikomos priklausomomis. Didelis R² rodo, kad įverčius lemia ne vien gramatika.

## tables, human-preferences
tables-human-preferences-title = Kam vertintojai teikia pirmenybę
tables-human-preferences-note = Vertintojas teikia pirmenybę taisyklingiems reiškinio sakiniams, jei jų vertinimų vidurkis aukštesnis. z – vertinimo atstumas nuo vertintojo vidurkio jo standartiniais nuokrypiais; vertintojų vidurkis.

## tables, human-choices
tables-human-choices-title = Žmonių ir modelių pasirinkimai
tables-human-choices-note = Procentas pasirinkimų, o modelių – porų pagal sum_logprob, kai pasirinktas taisyklingas sakinys. Intervalas pasirinkimus laiko nepriklausomais.
tables-human-choices-share = Žmonės

## tables, human-alignment
tables-human-alignment-title = Modelių įverčių skirtumai ir žmonių vertinimai
tables-human-alignment-note = Vidutinių z reikšmių skirtumo ir modelio įverčių skirtumo koreliacijos per poras su 95 % intervalais. Skaičiaus nėra, jei porų mažiau nei 3 arba viena pusė nekinta.

## tables, other-tools
tables-other-tools-title = Kiti įrankiai, tos pačios poros
tables-other-tools-note = Įrankiai skiriasi tuo, koks žetonas stovi prieš sakinį ir ar įskaičiuojamas pirmasis sakinio žetonas.

## tables, other-tasks
tables-other-tasks-title = Tie patys modeliai „EuroEval“ užduotyse
tables-other-tasks-value = Įvertis

## tables, morphology
tables-morphology-title = Skaidymas žetonais ir morfemos
tables-morphology-note = Damerau ir Levenšteino atstumas tarp žodžio dalių ir jo morfemų. Netinkami – žodžiai, kurių dalys nesudaro viso žodžio.
tables-morphology-n = Žodžiai

## tables, task-table
tables-task-table-title = Modeliai ir užduotys
tables-task-table-note = Procentai; MCC – nuo -1 iki 1. ± – standartinis nuokrypis per pavyzdžių imtis ir klausimų pradines reikšmes, jei jų keletas. Tikslumui reikia visų teisingų variantų ir jokio kito. Iš kelių dydžių imamas mažiausias.

## tables, task-scores
tables-task-scores-title = Užduotys pagal sąlygas
tables-task-scores-note = Dalys, 0–1; MCC – nuo -1 iki 1. Su 95 % intervalais, jei būtų imtos kitos taisyklės. SN – per pavyzdžių imtis ir klausimų pradines reikšmes. Atsitiktinis – atsitiktiniai atsakymai.
tables-task-scores-n = Atsakymai

## tables, task-outcomes
tables-task-outcomes-title = Klausimai be atsakymo
tables-task-outcomes-note = Klausimų procentas. Visose kitose lentelėse – tik atsakyti klausimai; teisinga iš visų – tarsi į kiekvieną klausimą be atsakymo būtų atsakyta neteisingai. Nukirsta – atsakymą nutraukė serveris. Nepavyko – atsakymo negauta.
tables-task-outcomes-n = Klausimai

## tables, task-cost
tables-task-cost-title = Kiek kainavo atsakymai
tables-task-cost-note = Žetonai, kaip juos suskaičiavo serveris; kaina pagal nustatymuose nurodytus įkainius; sekundės pagal laikrodį, paskutinis vykdymas.
tables-task-cost-n = Klausimai

## tables, matrix-f1
tables-matrix-f1-title = Matricos: F1
tables-matrix-f1-note = Procentas testo uždavinių, kurių pasirinktas teisingas atsakymas; ± – standartinis nuokrypis per pradines reikšmes.

## tables, matrix-scores
tables-matrix-scores-title = Matricos: F1 su intervalais
tables-matrix-scores-note = Procentai. Intervalas – jei testui būtų imti kiti uždaviniai, o mokymas būtų tas pats. Uždavinys skaičiuojamas vieną kartą, pagal jo vidurkį per pradines reikšmes. SN – per pradines reikšmes.
tables-matrix-scores-n_problems = n

## tables, matrix-unanswered
tables-matrix-unanswered-title = Matricos: modeliai be atsakymo
tables-matrix-unanswered-note = Neatsakyta į nieką, todėl įverčio nėra; nurodyta dažniausia priežastis.
tables-matrix-unanswered-n_problems = n
tables-matrix-unanswered-reason = Priežastis

## tables, matrix-answers
tables-matrix-answers-title = Matricos: kas pasirinkta
tables-matrix-answers-n = Atsakymai

## tables, task-runs
tables-task-runs-title = Kaip modelių klausta

## tables, leaderboard
tables-leaderboard-title = Rezultatų lentelė
tables-leaderboard-note = Procentas porų, kurių taisyklingas sakinys tikėtinesnis, su 95 % intervalais pagal sum_logprob, natais, ir pagal mean_nll, natais žetonui. Testo dalis – pagal sum_logprob, be porų, skirtų pavyzdžiams ir derinimui. Skelbtos − kitos – pagal sum_logprob, procentiniais punktais: poros, kurių sakiniai yra skelbtame šaltinyje, palyginti su kitomis; didelė persvara gali reikšti, kad modelis juos skaitė.

## tables, faults
tables-faults-title = Ko nebuvo galima panaudoti

## tables, cited-sources
tables-cited-sources-title = Porų šaltiniai

## tables, models
tables-models-title = Modeliai, kaip jie buvo įkelti

## tables, back-to-review
tables-back-to-review-title = Poros, kurias reikia peržiūrėti dar kartą

## leaderboard
leaderboard-heading = Rezultatų lentelė
leaderboard-title = { $release }; vertinta { $way }
leaderboard-lead = Kalbos modelių tikslumas vertinant išleistus porų rinkinius, iš naujo apskaičiuotas iš kiekvieno sakinio įverčių. Skirtingai vertinti modeliai surašyti į atskiras lenteles, nes jų skaičiai nelygintini; nelygintini ir skirtingų laidų skaičiai. Spustelėkite stulpelio pavadinimą, kad lentelė būtų surikiuota pagal jį.
leaderboard-published = Iš skelbto teksto
leaderboard-canary = Atpažinimo eilutė
leaderboard-date = Išleista
leaderboard-yes = yra
leaderboard-no = nėra

## matrices
matrices-title = Matricos: { $name }

## browser
browser-heading = Visos poros
browser-text = Ieškokite ir atsirinkite poras. Teigiamas skirtumas palankus taisyklingam sakiniui; „bet kuris modelis“ tikrina, ar toks bent vieno modelio vertinimas, „visi modeliai“ – ar visų.
browser-query = Ieškoti sakinių, taisyklių ir ID
browser-query_sentences = Ieškoti sakinių ir ID
browser-rule = Taisyklė
browser-phenomenon = Reiškinys
browser-model = Modelis
browser-verdict = Įvertinimas
browser-measure = Matas
browser-order = Tvarka
browser-all = visi
browser-reset = Išvalyti viską
browser-earlier = Ankstesnės poros
browser-later = Tolesnės poros
browser-size = Poros užima { NUMBER($size) } MB šio puslapio; lentelėje tie patys skaičiai be apvalinimo.
browser-tokens = Prie poros modelių matyti jų žetonai ir kiek kiekvienas netikėtas, natais: kuo tamsesnis, tuo netikėtesnis. Rodykite į žetoną arba jį bakstelėkite, ir palyginsite abu sakinius.
browser-tokens_some = Kad puslapis nebūtų per didelis, jame yra { $n } iš { $all } { $all ->
        [one] poros
        [few] porų
        *[other] porų
    } žetonai, pirmiausia – išvardytų porų. Puslapį su visais parašo komanda
browser-no_script = Be „JavaScript“ šis puslapis poroms atsirinkti netinka; visos poros yra šalia esančiame faile tables/pairs.csv.

## browser, quantifiers
browser-quantifiers-any = bet kuris modelis
browser-quantifiers-every = visi modeliai
browser-quantifiers-some = kai kurie modeliai, ne visi

## browser, verdicts
browser-verdicts-all = visi
browser-verdicts-right = teisinga
browser-verdicts-wrong = neteisinga
browser-verdicts-tie = lygiosios
browser-verdicts-flip = teisinga tik pagal vieną matą

## browser, measures
browser-measures-sum = sum_logprob, natais
browser-measures-mean = mean_nll, natais žetonui

## browser, orders
browser-orders-release = kaip laidoje
browser-orders-low = pirma mažiausias skirtumas
browser-orders-high = pirma didžiausias skirtumas

## browser, script
browser-script-good = taisyklingas
browser-script-bad = klaidingas
browser-script-none = (nėra)
browser-script-exception = taisyklės išimtis
browser-script-line = { $model }: taisyklingas sakinys pranašesnis: sum_logprob { $sum } nato, mean_nll { $mean } nato žetonui (žetonų { $good } ir { $bad })
browser-script-no_score = įverčio nėra
browser-script-right_of = Pagal sum_logprob teisių modelių: { $right } iš { $n }
browser-script-status = Poros { $first }–{ $last } iš { $n } tinkamų, iš viso { $all }
browser-script-nothing = Nė viena pora netinka; iš viso { $all }
browser-script-old_browser = Ši naršyklė per sena poroms išpakuoti; jos yra šalia esančiame faile tables/pairs.csv.
browser-script-tokens = Abiejų sakinių žetonai, { $model }
browser-script-in_good = taisyklingame: „{ $token }“ { $nats } nato
browser-script-in_bad = klaidingame: „{ $token }“ { $nats } nato
browser-script-change = klaidingas minus taisyklingas: { $nats } nato
browser-script-hint = Rodykite į žetoną arba jį bakstelėkite.

## policy
policy-causal = Kiekvienas žetonas įvertintas pagal prieš jį einančius.
policy-masked-pll = Kiekvienas žetonas paslėptas ir įvertintas pagal visus kitus (Salazar ir kt. 2020, ACL, 2699–2712).
policy-masked-pll-within-word = Kiekvienas žetonas paslėptas kartu su tolesniais to paties žodžio žetonais ir įvertintas pagal visus kitus (Kauf ir Ivanova 2023, ACL, 925–935).
policy-seq2seq = Dekoderis kiekvieną žetoną įvertino pagal prieš jį einančius.
policy-alone = Kiekvienas sakinys vertintas atskirai, be jokio teksto prieš jį.
policy-prefix = Prieš kiekvieną sakinį ėjo tekstas „{ $text }“, kuris nevertintas.
policy-prefix_scored = Prieš kiekvieną sakinį ėjo tekstas „{ $text }“, kuris taip pat vertintas.
policy-prefix_read = Koderis perskaitė tekstą „{ $text }“, kuris nevertintas.
policy-prefix_read_scored = Koderis perskaitė tekstą „{ $text }“, kuris taip pat vertintas.
policy-chat = Kiekvienas sakinys buvo atsakymas į žinutę „{ $text }“ pagal modelio pokalbio šabloną.
policy-period_removed = Taškas sakinio gale prieš tai pašalintas.
policy-period_added = Kur sakinys baigiasi be skyrybos ženklo, pridėtas taškas.
policy-case_lower = Sakiniai prieš tai parašyti mažosiomis raidėmis.
policy-eos_unscored = Pabaigos ženklas nevertintas.
policy-eos_scored = Po kiekvieno sakinio pridėtas pabaigos ženklas, vertintas kartu su sakiniu.
policy-no_normalisation = Sakiniai nekeisti į „Unicode“ normaliąją formą.
policy-normalisation = Sakiniai prieš tai pakeisti į „Unicode“ normaliąją formą { $form }.
policy-specials_text = Specialiojo žetono pavadinimas sakinyje skaitytas kaip paprastas tekstas.
policy-version = Vertinimo taisyklių { $version } versija.
policy-of_models = { $models }: { $text }

## first_token
first_token-scored = { $before }; pirmasis žetonas vertintas
first_token-not_scored = { $before }; pirmasis žetonas nevertintas
first_token-not_asked = { $before }; pirmasis žetonas nevertintas, kaip ir prašyta
first_token-server = kas stovi prieš sakinį, lėmė serveris
first_token-masked = aplink sakinį – specialieji modelio žetonai, kurie nevertinti
first_token-decoder = dekoderio pradžios ženklas
first_token-chat = atsakymo pradžia pagal modelio pokalbio šabloną
first_token-never = be pradžios ženklo, kaip ir prašyta
first_token-bos = lygiai vienas pradžios ženklas (ID { $id })
first_token-eos = vienas pabaigos ženklas, nes pradžios ženklo modelis neturi
first_token-none = be pradžios ženklo, nes modelis jo neturi

## methods
methods-measures = sum_logprob – sakinio vertintų žetonų tikimybių natūraliųjų logaritmų suma, natais; modelis dėl poros teisus, jei taisyklingo sakinio suma didesnė. mean_nll – ta suma su priešingu ženklu, padalyta iš vertintų žetonų skaičiaus, natais žetonui; modelis teisus, jei taisyklingo sakinio vidurkis mažesnis.
methods-lengths = Jie gali nesutarti tik tada, kai poros sakinių žetonų skaičius skiriasi: suma tada palanki trumpesniam sakiniui, vidurkis – tam, kurio papildomus žetonus lengva nuspėti.
methods-ties = Lygiosios – du vienodi įverčiai – teisingomis nelaikomos; jos išvardytos. Renkantis atsitiktinai, būtų teisingai įvertinta 50 % porų.
methods-slor = SLOR – suma minus tų pačių žetonų tikimybės vien pagal jų dažnį logaritmas, žetonui (Pauls ir Klein 2012, ACL, 959–968): taip pašalinama žodžių retumo įtaka.
methods-intervals_families = Intervalai – 95 %. Poros, turinčios bendrą sakinį, panašios: jei tokių yra ir jų šeimų yra bent { $fewest_clusters }, intervalas skaičiuojamas per šeimas: paeiliui praleidžiama kiekviena šeima (grupių „jackknife“, CV3; MacKinnon, Nielsen ir Webb 2023, Journal of Applied Econometrics 38, 671–694), o intervalas yra logito t intervalas (Korn ir Graubard 1999), niekada ne siauresnis už Wilsono. Jei ne – tai Wilsono intervalas per poras (Wilson 1927, JASA 22, 209–212), kuris poras laiko nepriklausomomis.
methods-intervals = Intervalai – 95 %. Tos pačios taisyklės poros panašios, todėl, jei eilutėje yra bent { $fewest_clusters } { $fewest_clusters ->
        [one] taisyklė
        [few] taisyklės
        *[other] taisyklių
    }, intervalas skaičiuojamas pagal taisykles: paeiliui praleidžiama kiekviena taisyklė (grupių „jackknife“, CV3; MacKinnon, Nielsen ir Webb 2023, Journal of Applied Econometrics 38, 671–694), o intervalas yra logito t intervalas (Korn ir Graubard 1999), niekada ne siauresnis už Wilsono. Kitu atveju taip pat skaičiuojama per sakinių šeimas, jei kai kurios turi po kelias poras ir jų yra bent { $fewest_clusters }; jei ne – tai Wilsono intervalas per poras (Wilson 1927, JASA 22, 209–212), kuris poras laiko nepriklausomomis.
methods-comparisons = Du modeliai lyginami pagal poras, kurias įvertino abu, t testu su grupėms atsparia dispersija, paeiliui praleidžiant kiekvieną taisyklę arba, kai taisyklių mažai, sakinių šeimą. Jo p reikšmės, niekada ne mažesnės už tiksliojo McNemaro testo (McNemar 1947, Psychometrika 12, 153–157), pataisomos per visus mato palyginimus pagal Holm (1979) ir pagal Benjamini ir Hochberg (1995). Skirtingai vertinti modeliai ir tie, iš kurių tik vieno vertintas pirmasis žetonas, nelyginami.
methods-power = Mažiausias skirtumas, kurį galima parodyti, skaičiuojamas pagal Connor (1987, Biometrics 43, 207–211), porų skaičių padalijus iš palyginimų plano efekto (Kish 1965).
methods-confounds = Kiti veiksniai – įverčių skirtumų mažiausiųjų kvadratų regresija pagal kitus dviejų sakinių skirtumus, visi standartizuoti, su grupėms atspariomis paklaidomis (Liang ir Zeger 1986).
methods-people = Kiekvieno vertintojo vertinimai paversti z reikšmėmis (Schütze ir Sprouse 2013) pagal imties standartinį nuokrypį. Koreliacijų intervalas – Fisherio; Spearmano dispersija – pagal Bonett ir Wright (2000).
methods-tasks = Klausimai sudaryti iš laidos porų ir taisyklių. Atsakymas teisingas, jei jame visi teisingi variantai ir jokio kito; variantai, apie kurių teisingumą laida nieko nesako, neskaičiuojami. Atsitiktinis rezultatas kiekvieną klausimo leidžiamą atsakymą laiko vienodai tikėtinu. Intervalai skaičiuojami per taisykles, kurioms sudaryti klausimai; koeficientų intervalai gauti iš { $task_resamples } { $task_resamples ->
        [one] pakartotinės ištisų taisyklių imties
        [few] pakartotinių ištisų taisyklių imčių
        *[other] pakartotinių ištisų taisyklių imčių
    } (Davison ir Hinkley 1997; pradinė reikšmė { $seed }). Jei taisyklių mažiau kaip { $fewest_clusters }, intervalas klausimus laiko nepriklausomais. Standartinis nuokrypis skaičiuojamas per pavyzdžių imtis ir klausimų pradines reikšmes.
methods-task_acceptability = Priimtinumas vertinamas kaip „EuroEval“ (Nielsen 2023, NoDaLiDa): Matthewso koreliacijos koeficientas (Matthews 1975) ir makro-F1, abu – pavyzdžių imčių vidurkiai.
methods-task_logprob = Įkelti modeliai lygino variantus pagal tikimybės logaritmą. Kur teisingi gali būti keli variantai, kiekvienas vertintas atskirai: jis pasirinktas, jei „taip“ tikėtinesnis už „ne“. Prieš tai atimta, ką modelis sako į tą pačią užklausą be turinio (kontekstinis kalibravimas: Zhao ir kt. 2021, ICML, PMLR 139), – jo vidutinės tikimybės logaritmas, kai vietoj kiekvieno teksto yra „N/A“, „[MASK]“ arba nieko; priimtinumas išlaiko „EuroEval“ formą ir nekalibruotas.
methods-task_translation = chrF++ – viso tekstyno (Popović 2017, WMT, 612–618), apskaičiuota sacrebleu (Post 2018, WMT, 186–191); { $translation_resamples } { $translation_resamples ->
        [one] pakartotinė imtis
        [few] pakartotinės imtys
        *[other] pakartotinių imčių
    }.

## limits
limits-policies = Modeliai vertinti pagal skirtingas taisykles. Jų skaičiai nelygintini: jie rodomi atskirai ir tarpusavyje netikrinami.
limits-first_tokens = Pirmasis žetonas vertintas tik kai kurių modelių: jie rodomi atskirai ir tarpusavyje netikrinami. Įvertinti su `--first-token unscored`, jie būtų palyginami.
limits-dtypes = Modeliai skaičiavo skirtingais skaičių formatais, o tai gali pakeisti porų su beveik vienodais įverčiais vertinimą.
limits-few = { $few } iš { $n_rules } { $n_rules ->
        [one] taisyklės
        [few] taisyklių
        *[other] taisyklių
    } turi mažiau kaip { $fewest } { $fewest ->
        [one] porą
        [few] poras
        *[other] porų
    }: jų eilutės rodo, kur ieškoti, o ne ką modelis moka.
limits-few_rules = Yra tik { $n_rules } { $n_rules ->
        [one] taisyklė
        [few] taisyklės
        *[other] taisyklių
    } – per mažai, kad būtų aišku, kaip rezultatai pasikeistų su kitomis.
limits-exceptions = { $n_exceptions } iš { $n_pairs } { $n_pairs ->
        [one] poros
        [few] porų
        *[other] porų
    } { $n_exceptions ->
        [one] yra išimtis, kuriai
        [few] yra išimtys, kurioms
        *[other] yra išimtys, kurioms
    } šaltinio taisyklė netaikoma; jos įskaičiuotos visose lentelėse, jei eilutėje nenurodyta kitaip.
limits-unreviewed = Šių porų čia niekas netikrino: kiekviena gali būti klaidinga, ir jokiai laidai jos nepriklauso. Viršuje nurodytas SHA-256 skiria šį rinkinį nuo kitų.
limits-coverage = Poros rodo tai, ką aprašo šaltiniai, o ne visą kalbą.
limits-memorised = Skelbto šaltinio sakiniai galėjo būti tarp modelio mokymo duomenų.
limits-judging = Laikyti taisyklingą sakinį tikėtinesniu nėra tas pats, kas laikyti jį priimtinu.
